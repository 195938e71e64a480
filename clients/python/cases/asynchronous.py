"""The central cases once more through the asynchronous client, which signs and sends by ways of its own."""

import asyncio

from azure.core import MatchConditions
from azure.core.credentials import AzureSasCredential
from azure.core.exceptions import (
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.data.tables import (
    AccountSasPermissions,
    EdmType,
    EntityProperty,
    ResourceTypes,
    TableAccessPolicy,
    UpdateMode,
    generate_account_sas,
    generate_table_sas,
)
from azure.data.tables.aio import TableClient, TableServiceClient

from account import (
    connection_string,
    credential,
    endpoint,
    entity,
    fresh_name,
    fresh_table,
    from_now,
    options,
    secondary_endpoint,
    secondary_options,
)
from cases.keys import KEYS
from expect import equal, fails, is_forbidden, transaction_fails
from runner import case


def asynchronous(table):
    return TableClient.from_connection_string(connection_string, table.table_name, **options)


async def everything(pages):
    return [found async for found in pages]


@case('async: tables are created, listed and deleted')
async def _():
    name = fresh_name()
    async with TableServiceClient.from_connection_string(connection_string, **options) as client:
        await client.create_table(name)
        with fails(ResourceExistsError, 409, 'TableAlreadyExists'):
            await client.create_table(name)
        condition = f"TableName eq '{name}'"
        equal([got.name for got in await everything(client.query_tables(condition))], [name], 'the list')
        await client.delete_table(name)
        equal(await everything(client.query_tables(condition)), [], 'the list')


@case('async: entities are inserted, read, updated, merged, upserted and deleted')
async def _():
    async with asynchronous(fresh_table()) as table:
        await table.create_entity(entity(value=EntityProperty(2**40, EdmType.INT64), ratio=3.0))
        got = await table.get_entity('partition', 'row')
        equal(got, entity(value=EntityProperty(2**40, EdmType.INT64), ratio=3.0))
        equal(type(got['ratio']), float, 'the type')
        await table.update_entity(entity(merged=1), UpdateMode.MERGE)
        await table.update_entity(entity(replaced=1), UpdateMode.REPLACE)
        await table.upsert_entity(entity(upserted=1), UpdateMode.MERGE)
        equal(await table.get_entity('partition', 'row'), entity(replaced=1, upserted=1))
        await table.delete_entity('partition', 'row')
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            await table.get_entity('partition', 'row')


def register(description, key):
    @case(f'async: keys with {description} work in every operation and in transactions')
    async def _():
        async with asynchronous(fresh_table()) as table:
            await table.create_entity(entity(key, key, value=1))
            equal(await table.get_entity(key, key), entity(key, key, value=1))
            found = table.query_entities(
                'PartitionKey eq @key and RowKey eq @key', parameters={'key': key}, results_per_page=1
            )
            equal(await everything(found), [entity(key, key, value=1)], 'the query')
            await table.upsert_entity(entity(key, key, value=2), UpdateMode.REPLACE)
            await table.update_entity(entity(key, key, merged=3), UpdateMode.MERGE)
            await table.submit_transaction(
                [
                    ('update', entity(key, key, more=4)),
                    ('create', entity(f'{key}2', key, value=5)),
                ]
            )
            equal(
                await everything(table.list_entities(results_per_page=1)),
                [entity(key, key, value=2, merged=3, more=4), entity(f'{key}2', key, value=5)],
                'the table',
            )
            await table.delete_entity(key, key)
            await table.submit_transaction([('delete', entity(f'{key}2', key))])
            equal(await everything(table.list_entities()), [], 'the table')


for description, key in KEYS.items():
    register(description, key)


@case('async: a stale ETag is UpdateConditionNotSatisfied and the current one holds')
async def _():
    async with asynchronous(fresh_table()) as table:
        if_current = MatchConditions.IfNotModified
        first = (await table.create_entity(entity(value=1)))['etag']
        written = await table.update_entity(entity(value=2), etag=first, match_condition=if_current)
        with fails(ResourceModifiedError, 412, 'UpdateConditionNotSatisfied'):
            await table.update_entity(entity(value=3), etag=first, match_condition=if_current)
        await table.delete_entity('partition', 'row', etag=written['etag'], match_condition=if_current)
        equal(await everything(table.list_entities()), [], 'the table')


@case('async: a hundred writes at once are all there')
async def _():
    async with asynchronous(fresh_table()) as table:
        await asyncio.gather(
            *(table.create_entity(entity(f'{n:03}', f'p{n % 7}', value=n)) for n in range(100))
        )
        found = await everything(table.list_entities())
        equal(sorted(got['value'] for got in found), list(range(100)), 'the values')


@case('async: a transaction of 100 operations succeeds')
async def _():
    async with asynchronous(fresh_table()) as table:
        results = await table.submit_transaction([('create', entity(f'{n:03}')) for n in range(100)])
        found = await everything(table.list_entities())
        equal([got.metadata['etag'] for got in found], [result['etag'] for result in results], 'the ETags')


@case('async: a transaction that fails names the operation and writes nothing')
async def _():
    async with asynchronous(fresh_table()) as table:
        await table.create_entity(entity('b'))
        with transaction_fails(1, 409, 'EntityAlreadyExists'):
            await table.submit_transaction([('create', entity(row)) for row in 'abc'])
        equal(await everything(table.list_entities()), [entity('b')], 'the table')


@case('async: another client goes on by the token')
async def _():
    table = fresh_table()
    table.submit_transaction([('create', entity(f'{n:02}', value=n)) for n in range(10)])
    async with asynchronous(table) as one, asynchronous(table) as another:
        pages = one.list_entities(results_per_page=4).by_page()
        first = [got['value'] async for got in await anext(pages)]
        rest = another.list_entities(results_per_page=4).by_page(pages.continuation_token)
        others = [[got['value'] async for got in page] async for page in rest]
    equal([first, *others], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]], 'the pages')


@case('async: a filter and a projection find what they should')
async def _():
    table = fresh_table()
    table.submit_transaction([('create', entity(f'{n:02}', value=n, other=1)) for n in range(10)])
    async with asynchronous(table) as client:
        found = client.query_entities(
            'value ge @low and not (value eq 5)', parameters={'low': 4}, select='value'
        )
        equal([got['value'] for got in await everything(found)], [4, 6, 7, 8, 9], 'the values')


@case('async: a table signature reads what it may and writes nothing')
async def _():
    table = fresh_table()
    for key in ("it's", 'a b'):
        table.create_entity(entity(key, key))
    token = generate_table_sas(
        credential, table.table_name, permission='r', expiry=from_now(hours=1), start_pk="it's", end_pk="it's"
    )
    async with TableClient(
        endpoint, table.table_name, credential=AzureSasCredential(token), **options
    ) as client:
        equal(await everything(client.list_entities()), [entity("it's", "it's")], 'the table')
        equal(await client.get_entity("it's", "it's"), entity("it's", "it's"))
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            await client.get_entity('a b', 'a b')
        with is_forbidden():
            await client.upsert_entity(entity("it's", "it's", value=1))


@case('async: an account signature does what it may')
async def _():
    token = generate_account_sas(
        credential,
        ResourceTypes(container=True, object=True),
        AccountSasPermissions(create=True, add=True, read=True),
        from_now(hours=1),
    )
    async with TableServiceClient(endpoint, credential=AzureSasCredential(token), **options) as client:
        table = await client.create_table(fresh_name())
        await table.submit_transaction([('create', entity('a')), ('create', entity('b'))])
        equal(await everything(table.list_entities()), [entity('a'), entity('b')], 'the table')
        with is_forbidden('AuthorizationPermissionMismatch'):
            await everything(client.list_tables())


@case('async: access policies are set, read, used and cleared')
async def _():
    async with asynchronous(fresh_table()) as table:
        await table.set_table_access_policy(
            {'id': TableAccessPolicy(permission='r', expiry=from_now(hours=1))}
        )
        equal((await table.get_table_access_policy())['id'].permission, 'r', 'the permission')
        token = generate_table_sas(credential, table.table_name, policy_id='id')
        async with TableClient(
            endpoint, table.table_name, credential=AzureSasCredential(token), **options
        ) as client:
            equal(await everything(client.list_entities()), [], 'the table')
            await table.set_table_access_policy({})
            with is_forbidden('AuthenticationFailed'):
                await everything(client.list_entities())


@case('async: service properties and statistics are read')
async def _():
    async with TableServiceClient(secondary_endpoint, credential=credential, **secondary_options) as client:
        equal((await client.get_service_properties())['analytics_logging'].version, '1.0')
        equal((await client.get_service_stats())['geo_replication']['status'], 'live', 'the status')
