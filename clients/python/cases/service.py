"""The service itself: statistics, the secondary address, versions, and who asks."""

from datetime import datetime, timedelta, timezone

from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from azure.data.tables import TableClient, TableServiceClient, UpdateMode, generate_table_sas

from account import (
    credential,
    endpoint,
    entity,
    fresh_name,
    fresh_table,
    from_now,
    options,
    secondary_endpoint,
    secondary_options,
    service,
    wrong_credential,
)
from expect import answer_to, equal, fails, holds, is_forbidden
from runner import case


def client_at_secondary():
    return TableServiceClient(secondary_endpoint, credential=credential, **secondary_options)


@case('statistics are read at the secondary address')
def _():
    statistics = client_at_secondary().get_service_stats()['geo_replication']
    equal(statistics['status'], 'live', 'the status')
    behind = datetime.now(timezone.utc) - statistics['last_sync_time']
    holds(timedelta(minutes=-1) < behind < timedelta(hours=1), f'{behind} behind is about now')


@case('statistics at the primary address are InvalidQueryParameterValue')
def _():
    primary = TableServiceClient(endpoint, credential=credential, **secondary_options)
    with fails(HttpResponseError, 400, 'InvalidQueryParameterValue'):
        primary.get_service_stats()


@case('everything is read at the secondary address')
def _():
    table = fresh_table()
    for row in ('a', 'b', 'c'):
        table.create_entity(entity(row, value=1))
    at_secondary = client_at_secondary()
    other = at_secondary.get_table_client(table.table_name)
    equal(other.get_entity('partition', 'b'), entity('b', value=1))
    equal([got['RowKey'] for got in other.list_entities(results_per_page=2)], ['a', 'b', 'c'], 'the rows')
    condition = f"TableName eq '{table.table_name}'"
    equal([got.name for got in at_secondary.query_tables(condition)], [table.table_name], 'the tables')
    equal(at_secondary.get_service_properties()['analytics_logging'].version, '1.0')
    equal(other.get_table_access_policy(), {}, 'the policies')


@case('nothing is written at the secondary address')
def _():
    table, name = fresh_table(), fresh_name()
    table.create_entity(entity(value=1))
    at_secondary = client_at_secondary()
    other = at_secondary.get_table_client(table.table_name)
    attempts = [
        lambda: other.create_entity(entity('new')),
        lambda: other.delete_entity('partition', 'row'),
        lambda: other.submit_transaction([('create', entity('new'))]),
        lambda: at_secondary.create_table(name),
        lambda: at_secondary.delete_table(table.table_name),
        lambda: at_secondary.set_service_properties(cors=[]),
        lambda: other.set_table_access_policy({'id': None}),
    ]
    for mode in UpdateMode:
        attempts.append(lambda mode=mode: other.update_entity(entity(value=2), mode))
        attempts.append(lambda mode=mode: other.upsert_entity(entity(value=2), mode))
    for attempt in attempts:
        with is_forbidden():
            attempt()
    equal(list(table.list_entities()), [entity(value=1)], 'the table')
    equal(table.get_table_access_policy(), {}, 'the policies')
    equal(list(service.query_tables(f"TableName eq '{name}'")), [], 'the tables')


@case('a table signature reads at the secondary address and writes nothing there')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    token = generate_table_sas(credential, table.table_name, permission='raud', expiry=from_now(hours=1))
    client = TableClient(
        secondary_endpoint, table.table_name, credential=AzureSasCredential(token), **secondary_options
    )
    equal(list(client.list_entities()), [entity(value=1)], 'the table')
    equal(client.get_entity('partition', 'row'), entity(value=1))
    with is_forbidden():
        client.upsert_entity(entity(value=2))
    equal(list(table.list_entities()), [entity(value=1)], 'the table')


@case('each version that the client knows is accepted and echoed')
def _():
    table = fresh_table()
    for version in ('2019-02-02', '2019-07-07', '2020-12-06'):
        client = TableClient(
            endpoint, table.table_name, credential=credential, api_version=version, **options
        )
        equal(client.create_entity(entity(version))['version'], version, 'the version')
        client.submit_transaction([('delete', entity(version))])


@case("an answer names the client's own id of the request, and one of the service's")
def _():
    table = fresh_table()
    table.create_entity(entity())
    answer = answer_to(table.get_entity, 'partition', 'row')
    asked = answer.request.headers['x-ms-client-request-id']
    equal(answer.headers['x-ms-client-request-id'], asked, 'the id')
    holds(answer.headers['x-ms-request-id'] not in ('', asked), 'the service has an id of its own')


@case('a wrong account key is AuthenticationFailed for everything')
def _():
    table = fresh_table()
    client = TableServiceClient(endpoint, credential=wrong_credential, **options)
    other = client.get_table_client(table.table_name)
    for attempt in (
        lambda: list(client.list_tables()),
        lambda: client.create_table(fresh_name()),
        lambda: client.get_service_properties(),
        lambda: other.get_entity('partition', 'row'),
        lambda: list(other.list_entities()),
        lambda: other.upsert_entity(entity()),
        lambda: other.delete_entity('partition', 'row'),
        lambda: other.get_table_access_policy(),
        lambda: other.submit_transaction([('create', entity())]),
    ):
        with fails(ClientAuthenticationError, 403, 'AuthenticationFailed'):
            attempt()
    # Of a refused insert the client raises the error it has by the status alone.
    with fails(HttpResponseError, 403, 'AuthenticationFailed'):
        other.create_entity(entity())
    equal(list(table.list_entities()), [], 'the table')


@case('an unknown account is ResourceNotFound')
def _():
    name = credential.named_key.name
    client = TableServiceClient(
        endpoint.replace(name, 'nosuchaccount'),
        credential=AzureNamedKeyCredential('nosuchaccount', credential.named_key.key),
        **options,
    )
    with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
        list(client.list_tables())
