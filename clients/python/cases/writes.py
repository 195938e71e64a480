"""Writes: insert, upsert, update, delete, and what they leave behind. Conditions are in conditions.py."""

from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.data.tables import TableClient, UpdateMode

from account import credential, endpoint, entity, fresh_table, options
from expect import answer_to, code_in, equal, fails, holds
from runner import case


@case('an insert answers with the ETag that the entity then has')
def _():
    table = fresh_table()
    written = table.create_entity(entity(value=1))
    read = table.get_entity('partition', 'row')
    equal(read.metadata['etag'], written['etag'], 'the ETag')
    holds(written['etag'].startswith('W/"datetime\''), 'the ETag is a weak one with a time')


@case('the ETag is made of the Timestamp')
def _():
    table = fresh_table()
    table.create_entity(entity())
    metadata = table.get_entity('partition', 'row').metadata
    time = metadata['timestamp'].tables_service_value
    equal(metadata['etag'], f'W/"datetime\'{quote(time, safe="")}\'"', 'the ETag')


@case('the Timestamp is the time of the write')
def _():
    table = fresh_table()
    table.create_entity(entity())
    written = table.get_entity('partition', 'row').metadata['timestamp']
    holds(abs(datetime.now(timezone.utc) - written) < timedelta(minutes=15), 'the Timestamp is of now')


@case('an insert with return-content answers with the entity')
def _():
    table = fresh_table()
    written = table.create_entity(entity(value=1), response_preference='return-content')
    equal(written['preference_applied'], 'return-content', 'the preference')
    content = written['content']
    equal((content['PartitionKey'], content['RowKey'], content['value']), ('partition', 'row', 1))
    equal(content['odata.etag'], written['etag'], 'the ETag')


@case('an insert with return-no-content answers with nothing but headers')
def _():
    table = fresh_table()
    answer = answer_to(table.create_entity, entity(), response_preference='return-no-content')
    equal((answer.status_code, answer.text()), (204, ''), 'the answer')
    equal(answer.headers['Preference-Applied'], 'return-no-content', 'the preference')
    address = f"{table.url}/{table.table_name}(PartitionKey='partition',RowKey='row')"
    equal(answer.headers['Location'], address, 'Location')
    equal(answer.headers['DataServiceId'], address, 'DataServiceId')


@case('inserting an entity that exists is EntityAlreadyExists and changes nothing')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    with fails(ResourceExistsError, 409, 'EntityAlreadyExists'):
        table.create_entity(entity(value=2))
    equal(table.get_entity('partition', 'row'), entity(value=1))


@case('an upsert that merges creates a missing entity')
def _():
    table = fresh_table()
    table.upsert_entity(entity(value=1), UpdateMode.MERGE)
    equal(table.get_entity('partition', 'row'), entity(value=1))


@case('an upsert that replaces creates a missing entity')
def _():
    table = fresh_table()
    table.upsert_entity(entity(value=1), UpdateMode.REPLACE)
    equal(table.get_entity('partition', 'row'), entity(value=1))


@case('an upsert that merges keeps what it does not mention')
def _():
    table = fresh_table()
    table.create_entity(entity(kept='yes', changed=1))
    table.upsert_entity(entity(changed=2, added=3), UpdateMode.MERGE)
    equal(table.get_entity('partition', 'row'), entity(kept='yes', changed=2, added=3))


@case('an upsert that replaces drops what it does not mention')
def _():
    table = fresh_table()
    table.create_entity(entity(dropped='yes', changed=1))
    table.upsert_entity(entity(changed=2, added=3), UpdateMode.REPLACE)
    equal(table.get_entity('partition', 'row'), entity(changed=2, added=3))


@case('an update that merges keeps what it does not mention')
def _():
    table = fresh_table()
    table.create_entity(entity(kept='yes', changed=1))
    table.update_entity(entity(changed=2, added=3), UpdateMode.MERGE)
    equal(table.get_entity('partition', 'row'), entity(kept='yes', changed=2, added=3))


@case('an update that replaces drops what it does not mention')
def _():
    table = fresh_table()
    table.create_entity(entity(dropped='yes', changed=1))
    table.update_entity(entity(changed=2, added=3), UpdateMode.REPLACE)
    equal(table.get_entity('partition', 'row'), entity(changed=2, added=3))


@case('updating a missing entity is ResourceNotFound and creates nothing')
def _():
    table = fresh_table()
    for mode in UpdateMode:
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            table.update_entity(entity(value=1), mode)
    equal(list(table.list_entities()), [], 'the entities')


@case('getting a missing entity is ResourceNotFound')
def _():
    table = fresh_table()
    table.create_entity(entity())
    for keys in (('partition', 'other'), ('other', 'row'), ('partition', 'ROW')):
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            table.get_entity(*keys)


@case('a merge can change the type of a property')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    for value in ('text', True, 2.0, b'bytes', 3):
        table.update_entity(entity(value=value), UpdateMode.MERGE)
        got = table.get_entity('partition', 'row')['value']
        equal((type(got), got), (type(value), value))


@case('a merge of nothing changes nothing but the ETag and the Timestamp')
def _():
    table = fresh_table()
    table.create_entity(entity(kept=1))
    before = table.get_entity('partition', 'row')
    table.update_entity(entity(), UpdateMode.MERGE)
    after = table.get_entity('partition', 'row')
    equal(after, before, 'the entity')
    holds(after.metadata['etag'] != before.metadata['etag'], 'the ETag is another one')
    holds(after.metadata['timestamp'] >= before.metadata['timestamp'], 'the Timestamp is not earlier')


@case('a replacement by nothing leaves the keys')
def _():
    table = fresh_table()
    table.create_entity(entity(dropped=1))
    table.update_entity(entity(), UpdateMode.REPLACE)
    equal(table.get_entity('partition', 'row'), entity())


@case('an entity is deleted by its keys')
def _():
    table = fresh_table()
    table.create_entity(entity())
    equal(answer_to(table.delete_entity, 'partition', 'row').status_code, 204, 'the status')
    with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
        table.get_entity('partition', 'row')


@case('an entity that was read is deleted')
def _():
    table = fresh_table()
    table.create_entity(entity())
    table.create_entity(entity('other'))
    table.delete_entity(table.get_entity('partition', 'row'))
    equal(list(table.list_entities()), [entity('other')], 'what is left')


@case('deleting a missing entity is silent in the client and ResourceNotFound on the wire')
def _():
    answer = answer_to(fresh_table().delete_entity, 'partition', 'row')
    equal((answer.status_code, code_in(answer)), (404, 'ResourceNotFound'), 'the answer')


@case('an entity can be inserted again after it was deleted, with none of its past')
def _():
    table = fresh_table()
    first = table.create_entity(entity(past=True))
    table.delete_entity('partition', 'row')
    second = table.create_entity(entity(value=1))
    equal(table.get_entity('partition', 'row'), entity(value=1))
    holds(second['etag'] != first['etag'], 'the ETag is another one')


@case('Timestamps of one entity only increase, and no ETag comes twice')
def _():
    table = fresh_table()
    tags, times = [], []
    for number in range(25):
        tags.append(table.upsert_entity(entity(value=number))['etag'])
        times.append(table.get_entity('partition', 'row').metadata['timestamp'].tables_service_value)
    equal(len(set(tags)), 25, 'the number of ETags')
    # As texts of unequal length: '.1Z' stands behind '.12Z', so they are made equal.
    padded = [time.rstrip('Z').ljust(27, '0') for time in times]
    equal(padded, sorted(set(padded)), 'the Timestamps')


@case('the address localhost works, where the client sends MERGE through POST')
def _():
    # At localhost and another port than 10002 this client takes the service for Cosmos DB's, and sends every
    # merge as POST with X-HTTP-Method: MERGE: alone and inside of transactions.
    table = fresh_table()
    local = TableClient(
        endpoint.replace('127.0.0.1', 'localhost'), table.table_name, credential=credential, **options
    )
    table.create_entity(entity(kept=1))
    answer = answer_to(local.update_entity, entity(merged=2), UpdateMode.MERGE)
    equal(answer.request.method, 'POST', 'the method on the wire')
    local.upsert_entity(entity(upserted=3), UpdateMode.MERGE)
    local.submit_transaction(
        [
            ('update', entity(transacted=4), {'mode': UpdateMode.MERGE}),
            ('upsert', entity('new', transacted=5), {'mode': UpdateMode.MERGE}),
        ]
    )
    equal(
        list(table.list_entities()),
        [entity('new', transacted=5), entity(kept=1, merged=2, upserted=3, transacted=4)],
        'the entities',
    )
