"""Transactions: all of the operations, or none of them and the index of the one that failed."""

import math
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from uuid import UUID

from azure.core import MatchConditions
from azure.data.tables import (
    EdmType,
    EntityProperty,
    RequestTooLargeError,
    TransactionOperation,
    UpdateMode,
)

from account import entity, fresh_table
from expect import equal, fails, holds, transaction_fails
from runner import case

IF_CURRENT = MatchConditions.IfNotModified


def rolls_back(table, operations, status, code, index):
    """The transaction fails there, with that, and the table is as it was."""
    before = [(found, found.metadata['etag']) for found in table.list_entities()]
    with transaction_fails(index, status, code):
        table.submit_transaction(operations)
    after = [(found, found.metadata['etag']) for found in table.list_entities()]
    equal(after, before, 'the table after the failure')


@case('a transaction of all kinds of operations does all of them')
def _():
    table = fresh_table()
    for row in ('merge', 'replace', 'upsertmerge', 'upsertreplace', 'delete'):
        table.create_entity(entity(row, old=1))
    results = table.submit_transaction(
        [
            ('create', entity('create', new=2)),
            ('update', entity('merge', new=2), {'mode': UpdateMode.MERGE}),
            ('update', entity('replace', new=2), {'mode': UpdateMode.REPLACE}),
            ('upsert', entity('upsertmerge', new=2), {'mode': UpdateMode.MERGE}),
            ('upsert', entity('upsertreplace', new=2), {'mode': UpdateMode.REPLACE}),
            ('upsert', entity('upsertnew', new=2)),
            ('delete', entity('delete')),
        ]
    )
    equal(
        list(table.list_entities()),
        [
            entity('create', new=2),
            entity('merge', old=1, new=2),
            entity('replace', new=2),
            entity('upsertmerge', old=1, new=2),
            entity('upsertnew', new=2),
            entity('upsertreplace', new=2),
        ],
        'the table',
    )
    equal([sorted(result) for result in results], [['etag']] * 6 + [[]], 'what the results tell')


@case('operations can be named by the enumeration')
def _():
    table = fresh_table()
    table.create_entity(entity('delete'))
    table.submit_transaction(
        [
            (TransactionOperation.CREATE, entity('create')),
            (TransactionOperation.UPSERT, entity('upsert')),
            (TransactionOperation.DELETE, entity('delete')),
        ]
    )
    table.submit_transaction([(TransactionOperation.UPDATE, entity('create', value=1))])
    equal(list(table.list_entities()), [entity('create', value=1), entity('upsert')], 'the table')


@case('the ETags of a transaction are those that its entities then have')
def _():
    table = fresh_table()
    rows = ['a', 'b', 'c']
    results = table.submit_transaction([('create', entity(row)) for row in rows])
    for row, result in zip(rows, results, strict=True):
        equal(table.get_entity('partition', row).metadata['etag'], result['etag'], 'the ETag')
    table.submit_transaction(
        [
            ('update', entity(row, value=1), {'etag': result['etag'], 'match_condition': IF_CURRENT})
            for row, result in zip(rows, results, strict=True)
        ]
    )
    equal([found['value'] for found in table.list_entities()], [1, 1, 1], 'the values')


@case('a transaction of 100 operations succeeds')
def _():
    table = fresh_table()
    results = table.submit_transaction([('create', entity(f'{n:03}', value=n)) for n in range(100)])
    equal(len(results), 100, 'the number of results')
    equal([found['value'] for found in table.list_entities()], list(range(100)), 'the values')
    table.submit_transaction([('delete', entity(f'{n:03}')) for n in range(100)])
    equal(list(table.list_entities()), [], 'the table')


@case('a transaction of 101 operations is refused')
def _():
    table = fresh_table()
    operations = [('create', entity(f'{n:03}')) for n in range(101)]
    rolls_back(table, operations, 400, 'InvalidInput', 99)


@case('an insert of what exists fails the transaction with its index')
def _():
    table = fresh_table()
    table.create_entity(entity('2', kept=True))
    operations = [('upsert', entity(str(n), value=n)) for n in range(2)]
    operations += [('create', entity('2', value=2)), ('create', entity('3', value=3))]
    rolls_back(table, operations, 409, 'EntityAlreadyExists', 2)


@case('an update of what is missing fails the transaction with its index')
def _():
    table = fresh_table()
    for index, mode in ((1, UpdateMode.MERGE), (3, UpdateMode.REPLACE)):
        operations = [('create', entity(str(n))) for n in range(5)]
        operations[index] = ('update', entity('missing'), {'mode': mode})
        rolls_back(table, operations, 404, 'ResourceNotFound', index)


@case('a delete of what is missing fails the transaction with its index')
def _():
    table = fresh_table()
    operations = [('create', entity('a')), ('delete', entity('missing'))]
    rolls_back(table, operations, 404, 'ResourceNotFound', 1)


@case('a stale ETag fails the transaction with its index')
def _():
    table = fresh_table()
    stale = table.create_entity(entity('changed', value=1))['etag']
    table.update_entity(entity('changed', value=2))
    condition = {'etag': stale, 'match_condition': IF_CURRENT}
    create = ('create', entity('new'))
    for mode in UpdateMode:
        update = ('update', entity('changed', value=3), {'mode': mode, **condition})
        rolls_back(table, [create, update], 412, 'UpdateConditionNotSatisfied', 1)
    delete = ('delete', entity('changed'), condition)
    rolls_back(table, [create, delete], 412, 'UpdateConditionNotSatisfied', 1)


@case('the current ETag holds inside a transaction')
def _():
    table = fresh_table()
    tags = {row: table.create_entity(entity(row, value=1))['etag'] for row in ('a', 'b', 'c')}
    condition = {row: {'etag': tag, 'match_condition': IF_CURRENT} for row, tag in tags.items()}
    table.submit_transaction(
        [
            ('update', entity('a', more=2), {'mode': UpdateMode.MERGE, **condition['a']}),
            ('update', entity('b', more=2), {'mode': UpdateMode.REPLACE, **condition['b']}),
            ('delete', entity('c'), condition['c']),
        ]
    )
    equal(list(table.list_entities()), [entity('a', value=1, more=2), entity('b', more=2)], 'the table')


@case('the same entity twice fails the transaction with the index of the second')
def _():
    table = fresh_table()
    operations = [('create', entity('a')), ('create', entity('b')), ('upsert', entity('a', value=1))]
    rolls_back(table, operations, 400, 'InvalidDuplicateRow', 2)


@case('two partitions in one transaction are refused before anything is sent')
def _():
    table = fresh_table()
    # The client itself refuses: the service's CommandsInBatchActOnDifferentPartitions cannot be had of it.
    with fails(ValueError):
        table.submit_transaction([('create', entity('a', 'one')), ('create', entity('b', 'two'))])
    equal(list(table.list_entities()), [], 'the table')


@case('an entity that is not allowed fails the transaction with its index')
def _():
    table = fresh_table()
    good = [('create', entity(str(n))) for n in range(3)]
    rolls_back(table, [*good, ('create', entity('a/b'))], 400, 'OutOfRangeInput', 3)
    many = {f'property{n}': n for n in range(253)}
    rolls_back(table, [*good, ('create', entity('many', **many))], 400, 'TooManyProperties', 3)
    rolls_back(table, [*good, ('create', entity('x', text='x' * 32769))], 400, 'PropertyValueTooLarge', 3)
    rolls_back(table, [*good, ('upsert', entity('x', **{'a-b': 1}))], 400, 'PropertyNameInvalid', 3)


@case('after a failure the same transaction without its mistake succeeds')
def _():
    table = fresh_table()
    table.create_entity(entity('b'))
    rolls_back(table, [('create', entity(row)) for row in 'abc'], 409, 'EntityAlreadyExists', 1)
    table.submit_transaction([('create', entity(row)) for row in 'ac'])
    equal([found['RowKey'] for found in table.list_entities()], ['a', 'b', 'c'], 'the rows')


@case('a transaction of nothing does nothing')
def _():
    # The client returns an empty list only if the service refuses the empty change set with 400.
    equal(fresh_table().submit_transaction([]), [], 'the results')


@case('a transaction of one operation succeeds and fails like any other')
def _():
    table = fresh_table()
    (result,) = table.submit_transaction([('create', entity(value=1))])
    equal(table.get_entity('partition', 'row').metadata['etag'], result['etag'], 'the ETag')
    rolls_back(table, [('create', entity(value=2))], 409, 'EntityAlreadyExists', 0)


@case('a transaction of nearly 4 MiB succeeds')
def _():
    table = fresh_table()
    data = bytes(48 * 1024)
    table.submit_transaction([('create', entity(f'{n:02}', data=data)) for n in range(60)])
    equal([found['data'] == data for found in table.list_entities()], [True] * 60, 'the data')


@case('a transaction of more than 4 MiB is too large')
def _():
    table = fresh_table()
    with fails(RequestTooLargeError, 413, 'RequestBodyTooLarge'):
        table.submit_transaction([('create', entity(str(n), data=bytes(65536))) for n in range(50)])
    equal(list(table.list_entities()), [], 'the table')


@case('all types come back from a transaction')
def _():
    table = fresh_table()
    properties = {
        'text': "it's 日本語 😀",
        'flag': True,
        'count': -5,
        'large': EntityProperty(2**53 + 1, EdmType.INT64),
        'whole': 3.0,
        'infinite': math.inf,
        'time': datetime(2020, 2, 29, 12, 30, 15, 123456, tzinfo=timezone.utc),
        'guid': UUID(int=7),
        'data': bytes(range(256)),
    }
    table.submit_transaction(
        [
            ('create', entity('create', **properties)),
            ('upsert', entity('upsert', **properties)),
        ]
    )
    for row in ('create', 'upsert'):
        found = table.get_entity('partition', row)
        equal(found, entity(row, **properties))
        holds(isinstance(found['whole'], float), 'a whole number stays a Double')


@case('values that look like the wire of a transaction change nothing')
def _():
    table = fresh_table()
    texts = [
        '--changeset_1\r\nContent-Type: application/http\r\n\r\nDELETE /t HTTP/1.1\r\n',
        '--changeset_',
        '--batch_--',
        'HTTP/1.1 409 Conflict',
        '\r\n\r\n',
        '{"odata.error":{}}',
        '}',
    ]
    table.submit_transaction([('create', entity(str(n), text=text)) for n, text in enumerate(texts)])
    equal([found['text'] for found in table.list_entities()], texts, 'the texts')


@case('a transaction reaches its table by its name in another case')
def _():
    table = fresh_table()
    other = type(table).from_table_url(
        f'{table.url}/{table.table_name.upper()}', credential=table.credential, retry_total=0
    )
    other.submit_transaction([('create', entity('a')), ('create', entity('b'))])
    equal([found['RowKey'] for found in table.list_entities()], ['a', 'b'], 'the rows')


@case('a reader never sees a part of a transaction')
def _():
    table = fresh_table()
    rows = [f'{n:02}' for n in range(20)]

    def write():
        for round_number in range(15):
            table.submit_transaction([('upsert', entity(row, round=round_number)) for row in rows])

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            rounds = {found['round'] for found in table.list_entities()}
            holds(len(rounds) <= 1, f'one round is seen, not {sorted(rounds)}')
        writing.result()
