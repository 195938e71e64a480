"""Shared access signatures of a part of a table: from a partition and row to a partition and row."""

from urllib.parse import quote

from azure.core.exceptions import ResourceNotFoundError
from azure.data.tables import UpdateMode, generate_table_sas

from account import credential, entity, fresh_table, from_now, shared, table_with_sas
from expect import equal, fails, is_forbidden, is_not_authenticated, transaction_fails
from runner import case


def table_of_ranges():
    """Three partitions of three rows each: a1 to c3."""
    table = fresh_table()
    for partition in 'abc':
        table.submit_transaction([('create', entity(row, partition, value=1)) for row in '123'])
    return table


def keys_of(entities):
    return [found['PartitionKey'] + found['RowKey'] for found in entities]


@case('a range of partitions clips a query, however it is filtered and paged')
def _():
    table = table_of_ranges()
    expected = {
        ('b', None): ['b1', 'b2', 'b3', 'c1', 'c2', 'c3'],
        (None, 'b'): ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'],
        ('b', 'b'): ['b1', 'b2', 'b3'],
        ('bb', 'd'): ['c1', 'c2', 'c3'],
        ('d', None): [],
    }
    for (start, end), keys in expected.items():
        client = shared(table, start_pk=start, end_pk=end)
        equal(keys_of(client.list_entities()), keys, f'from {start} to {end}')
        equal(keys_of(client.list_entities(results_per_page=2)), keys, f'from {start} to {end} in pages')
        found = keys_of(client.query_entities("PartitionKey eq 'a' or RowKey ge '2'"))
        passing = [key for key in keys if key[0] == 'a' or key[1] >= '2']
        equal(found, passing, f'from {start} to {end} filtered')


@case('rows limit a range only in the partition they belong to')
def _():
    table = table_of_ranges()
    expected = {
        ('a', '2', None, None): ['a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'],
        (None, None, 'c', '1'): ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1'],
        ('a', '3', 'c', '1'): ['a3', 'b1', 'b2', 'b3', 'c1'],
        ('b', '2', 'b', '2'): ['b2'],
        ('b', '2', 'b', '1'): [],
    }
    for (start_pk, start_rk, end_pk, end_rk), keys in expected.items():
        client = shared(table, start_pk=start_pk, start_rk=start_rk, end_pk=end_pk, end_rk=end_rk)
        equal(keys_of(client.list_entities()), keys, f'from {start_pk}{start_rk} to {end_pk}{end_rk}')
        equal(keys_of(client.list_entities(results_per_page=1)), keys, 'in pages of one')


@case('the last page of a range has no token, whatever lies behind the range')
def _():
    client = shared(table_of_ranges(), end_pk='b')
    pages = client.list_entities(results_per_page=3).by_page()
    equal([keys_of(next(pages)) for _ in range(2)], [['a1', 'a2', 'a3'], ['b1', 'b2', 'b3']], 'the pages')
    equal(pages.continuation_token, None, 'the token')


@case('a token does not lead out of a range')
def _():
    table = table_of_ranges()
    pages = table.list_entities(results_per_page=1).by_page()
    next(pages)
    found = shared(table, start_pk='b', end_pk='b').list_entities().by_page(pages.continuation_token)
    equal(keys_of(next(found)), ['b1', 'b2', 'b3'], 'the entities')
    pages = table.list_entities(results_per_page=8).by_page()
    next(pages)
    found = shared(table, start_pk='b', end_pk='b').list_entities().by_page(pages.continuation_token)
    equal([keys_of(page) for page in found], [[]], 'the pages')


def range_client(table):
    return shared(table, start_pk='a', start_rk='3', end_pk='c', end_rk='1')


@case('a get inside a range works, outside of it is ResourceNotFound')
def _():
    client = range_client(table_of_ranges())
    for partition, row in ('a3', 'b1', 'b3', 'c1'):
        equal(client.get_entity(partition, row)['value'], 1)
    for partition, row in ('a2', 'c2', 'a1'):
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            client.get_entity(partition, row)


@case('a write inside a range works')
def _():
    table = table_of_ranges()
    client = range_client(table)
    client.create_entity(entity('4', 'a', value=2))
    client.update_entity(entity('1', 'b', value=2), UpdateMode.MERGE)
    client.update_entity(entity('2', 'b', value=2), UpdateMode.REPLACE)
    client.upsert_entity(entity('5', 'b', value=2), UpdateMode.MERGE)
    client.upsert_entity(entity('0', 'c', value=2), UpdateMode.REPLACE)
    client.delete_entity('c', '1')
    found = keys_of(got for got in table.list_entities() if got['value'] == 2)
    equal(found, ['a4', 'b1', 'b2', 'b5', 'c0'], 'the entities')
    equal(len(list(table.list_entities())), 11, 'the number of entities')


@case('a write outside of a range is AuthorizationFailure and writes nothing')
def _():
    table = table_of_ranges()
    client = range_client(table)
    before = [got.metadata['etag'] for got in table.list_entities()]
    for partition, row in ('a2', 'c2', 'a0', 'd1'):
        for write in (
            lambda keys: client.create_entity(entity(*keys)),
            lambda keys: client.update_entity(entity(*keys), UpdateMode.MERGE),
            lambda keys: client.update_entity(entity(*keys), UpdateMode.REPLACE),
            lambda keys: client.upsert_entity(entity(*keys), UpdateMode.MERGE),
            lambda keys: client.upsert_entity(entity(*keys), UpdateMode.REPLACE),
            lambda keys: client.delete_entity(entity(*keys)),
        ):
            with is_forbidden('AuthorizationFailure'):
                write((row, partition))
    equal([got.metadata['etag'] for got in table.list_entities()], before, 'the table')


@case('a transaction inside a range works')
def _():
    table = table_of_ranges()
    range_client(table).submit_transaction(
        [
            ('update', entity('3', 'a', value=2)),
            ('create', entity('4', 'a', value=2)),
        ]
    )
    equal(keys_of(table.query_entities('value eq 2')), ['a3', 'a4'], 'the entities')


@case('an operation outside of a range fails the transaction with its index')
def _():
    table = table_of_ranges()
    client = range_client(table)
    inside = [('update', entity('3', 'a', value=2)), ('create', entity('4', 'a', value=2))]
    for outside in (('create', entity('0', 'a')), ('upsert', entity('1', 'a')), ('delete', entity('2', 'a'))):
        with transaction_fails(2, 403, 'AuthorizationFailure'):
            client.submit_transaction([*inside, outside])
    equal(keys_of(table.query_entities('value eq 2')), [], 'the entities')


@case('a range of special keys is read as it was signed')
def _():
    table = fresh_table()
    keys = ["it's", 'a%27b', 'a+b', 'ä ö', '日本', '😀']
    for key in keys:
        table.create_entity(entity(key, key))
    for key in keys:
        client = shared(table, start_pk=key, start_rk=key, end_pk=key, end_rk=key)
        equal(list(client.list_entities()), [entity(key, key)], f'the range of {quote(key)}')
        equal(client.get_entity(key, key), entity(key, key))


@case('a signature whose range was removed afterwards is AuthenticationFailed')
def _():
    table = fresh_table()
    token = generate_table_sas(
        credential, table.table_name, permission='r', expiry=from_now(hours=1), start_pk='b', end_pk='b'
    )
    equal(token.count('&spk=b&epk=b'), 1, 'the number of ranges')
    is_not_authenticated(table_with_sas(table.table_name, token.replace('&spk=b&epk=b', '')))
