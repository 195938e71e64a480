"""Shared access signatures of the account: resource types and permissions, operation by operation.

The client signs each of them for the table service alone: a signature for other services cannot be made.
"""

from azure.core.credentials import AzureSasCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError
from azure.data.tables import (
    AccountSasPermissions,
    ResourceTypes,
    TableServiceClient,
    UpdateMode,
    generate_account_sas,
)

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
    service_with_sas,
    table_with_sas,
    wrong_credential,
)
from expect import equal, fails, is_forbidden, transaction_fails
from runner import case

PERMISSION = 'AuthorizationPermissionMismatch'
RESOURCE_TYPE = 'AuthorizationResourceTypeMismatch'
ALL = 'rwdlacup'


def signed(resource_types, permission, **limits):
    limits.setdefault('expiry', from_now(hours=1))
    return generate_account_sas(
        credential,
        ResourceTypes.from_string(resource_types),
        AccountSasPermissions.from_string(permission),
        **limits,
    )


def account_client(resource_types, permission, **limits):
    return service_with_sas(signed(resource_types, permission, **limits))


def table_client(table, resource_types, permission, **limits):
    return table_with_sas(table.table_name, signed(resource_types, permission, **limits))


def table_is_there(name):
    return [found.name for found in service.query_tables(f"TableName eq '{name}'")] == [name]


@case('an account signature for everything does everything')
def _():
    client = account_client('sco', ALL)
    table = client.create_table(fresh_name())
    table.create_entity(entity(value=1))
    table.upsert_entity(entity(value=2))
    table.submit_transaction([('update', entity(value=3)), ('create', entity('other'))])
    equal(list(table.list_entities()), [entity('other'), entity(value=3)], 'the table')
    equal(client.get_service_properties()['analytics_logging'].version, '1.0')
    client.delete_table(table.table_name)
    equal(table_is_there(table.table_name), False, 'the table being there')


@case('an account signature creates tables with c or with w')
def _():
    for permission in ('c', 'w'):
        name = fresh_name()
        account_client('c', permission).create_table(name)
        equal(table_is_there(name), True, 'the table being there')


@case('an account signature without c and w does not create tables')
def _():
    name = fresh_name()
    with fails(HttpResponseError, 403, PERMISSION):
        account_client('c', 'rdlaup').create_table(name)
    equal(table_is_there(name), False, 'the table being there')


@case('an account signature lists tables with l alone, and not without')
def _():
    table = fresh_table()
    condition = f"TableName eq '{table.table_name}'"
    found = [got.name for got in account_client('c', 'l').query_tables(condition)]
    equal(found, [table.table_name], 'the list')
    with fails(HttpResponseError, 403, PERMISSION):
        list(account_client('c', 'rwdacup').list_tables())


@case('an account signature deletes tables with d alone, and not without')
def _():
    table = fresh_table()
    with fails(HttpResponseError, 403, PERMISSION):
        account_client('c', 'rwlacup').delete_table(table.table_name)
    equal(table_is_there(table.table_name), True, 'the table being there')
    account_client('c', 'd').delete_table(table.table_name)
    equal(table_is_there(table.table_name), False, 'the table being there')


@case('an account signature that is not for tables themselves does not touch them')
def _():
    table, name = fresh_table(), fresh_name()
    client = account_client('so', ALL)
    for attempt in (
        lambda: client.create_table(name),
        lambda: client.delete_table(table.table_name),
        lambda: list(client.list_tables()),
    ):
        with fails(HttpResponseError, 403, RESOURCE_TYPE):
            attempt()
    equal((table_is_there(table.table_name), table_is_there(name)), (True, False), 'the tables being there')


def try_permission(permission, *allowed):
    """Each operation on entities, with a signature of this one permission or these two."""
    table = fresh_table()
    table.create_entity(entity(value=1))
    client = table_client(table, 'o', permission)
    attempts = {
        'get': lambda: client.get_entity('partition', 'row'),
        'query': lambda: list(client.list_entities()),
        'insert': lambda: client.create_entity(entity('new')),
        'merge': lambda: client.update_entity(entity(value=2), UpdateMode.MERGE),
        'replace': lambda: client.update_entity(entity(value=3), UpdateMode.REPLACE),
        'upsert that merges': lambda: client.upsert_entity(entity(value=4), UpdateMode.MERGE),
        'upsert that replaces': lambda: client.upsert_entity(entity(value=5), UpdateMode.REPLACE),
        'delete': lambda: client.delete_entity('partition', 'row'),
    }
    for name, attempt in attempts.items():
        if name in allowed:
            attempt()
        else:
            with is_forbidden(PERMISSION):
                attempt()
    return table


@case('an account signature with r alone gets and queries entities')
def _():
    equal(list(try_permission('r', 'get', 'query').list_entities()), [entity(value=1)], 'the table')


@case('an account signature with a alone inserts entities')
def _():
    equal(len(list(try_permission('a', 'insert').list_entities())), 2, 'the number of entities')


@case('an account signature with u alone updates entities')
def _():
    equal(list(try_permission('u', 'merge', 'replace').list_entities()), [entity(value=3)], 'the table')


@case('an account signature with d alone deletes entities')
def _():
    equal(list(try_permission('d', 'delete').list_entities()), [], 'the table')


@case('an account signature with a and u upserts entities')
def _():
    table = try_permission('au', 'insert', 'merge', 'replace', 'upsert that merges', 'upsert that replaces')
    equal(list(table.list_entities()), [entity('new'), entity(value=5)], 'the table')


@case('an account signature with other permissions only reaches no entity')
def _():
    equal(list(try_permission('wlcp').list_entities()), [entity(value=1)], 'the table')


@case('an account signature that is not for entities does not touch them')
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    client = table_client(table, 'sc', ALL)
    for attempt in (
        lambda: client.get_entity('partition', 'row'),
        lambda: list(client.list_entities()),
        lambda: client.create_entity(entity('new')),
        lambda: client.upsert_entity(entity(value=2)),
        lambda: client.update_entity(entity(value=2)),
        lambda: client.delete_entity('partition', 'row'),
    ):
        with is_forbidden(RESOURCE_TYPE):
            attempt()
    with is_forbidden(RESOURCE_TYPE):
        client.submit_transaction([('create', entity('new'))])
    equal(list(table.list_entities()), [entity(value=1)], 'the table')


@case('each operation of a transaction needs its own permission of the account signature')
def _():
    table = fresh_table()
    table_client(table, 'o', 'a').submit_transaction([('create', entity(row)) for row in 'ab'])
    table_client(table, 'o', 'ud').submit_transaction(
        [('update', entity('a', value=1)), ('delete', entity('b'))]
    )
    with transaction_fails(1, 403, PERMISSION):
        table_client(table, 'o', 'ra').submit_transaction([('create', entity('c')), ('delete', entity('a'))])
    equal(list(table.list_entities()), [entity('a', value=1)], 'the table')


@case('an account signature reads service properties with s and r, and not with less')
def _():
    equal(account_client('s', 'r').get_service_properties()['analytics_logging'].version, '1.0')
    with fails(HttpResponseError, 403, PERMISSION):
        account_client('s', 'wdlacup').get_service_properties()
    with fails(HttpResponseError, 403, RESOURCE_TYPE):
        account_client('co', ALL).get_service_properties()


@case('an account signature sets service properties with s and w, and not with less')
def _():
    before = service.get_service_properties()
    account_client('s', 'w').set_service_properties(analytics_logging=before['analytics_logging'])
    with fails(HttpResponseError, 403, PERMISSION):
        account_client('s', 'rdlacup').set_service_properties(cors=[])
    with fails(HttpResponseError, 403, RESOURCE_TYPE):
        account_client('co', ALL).set_service_properties(cors=[])


@case('an account signature reads statistics with s and r, and not with less')
def _():
    def statistics(resource_types, permission):
        signature = AzureSasCredential(signed(resource_types, permission))
        client = TableServiceClient(secondary_endpoint, credential=signature, **secondary_options)
        return client.get_service_stats()

    equal(statistics('s', 'r')['geo_replication']['status'], 'live', 'the status')
    with fails(HttpResponseError, 403, PERMISSION):
        statistics('s', 'wdlacup')
    with fails(HttpResponseError, 403, RESOURCE_TYPE):
        statistics('co', ALL)


@case('an account signature never reaches access policies')
def _():
    table = fresh_table()
    client = table_client(table, 'sco', ALL)
    with is_forbidden():
        client.get_table_access_policy()
    with is_forbidden():
        client.set_table_access_policy({'id': None})
    equal(table.get_table_access_policy(), {}, 'the policies')


@case('an account signature is refused when expired, not yet valid, or by another key')
def _():
    for limits in (
        {'expiry': from_now(minutes=-1)},
        {'start': from_now(hours=1), 'expiry': from_now(hours=2)},
    ):
        with fails(ClientAuthenticationError, 403, 'AuthenticationFailed'):
            list(account_client('c', 'l', **limits).list_tables())
    token = generate_account_sas(
        wrong_credential, ResourceTypes(container=True), AccountSasPermissions(list=True), from_now(hours=1)
    )
    with fails(ClientAuthenticationError, 403, 'AuthenticationFailed'):
        list(service_with_sas(token).list_tables())


@case('an account signature whose resource types were changed afterwards is AuthenticationFailed')
def _():
    token = signed('o', 'l')
    equal(token.count('srt=o&'), 1, 'the number of resource types')
    with fails(ClientAuthenticationError, 403, 'AuthenticationFailed'):
        list(service_with_sas(token.replace('srt=o&', 'srt=oc&')).list_tables())


@case('an account signature for the addresses of clients admits those and no others')
def _():
    table = fresh_table()
    everyone = table_client(table, 'o', 'r', ip_address_or_range='0.0.0.0-255.255.255.255')
    equal(list(everyone.list_entities()), [], 'the table')
    with fails(HttpResponseError, 403, 'AuthorizationSourceIPMismatch'):
        list(table_client(table, 'o', 'r', ip_address_or_range='203.0.113.7').list_entities())


@case('an account signature for HTTPS alone is refused over HTTP')
def _():
    table = fresh_table()
    client = table_client(table, 'o', 'r', protocol='https')
    if endpoint.startswith('https:'):
        equal(list(client.list_entities()), [], 'the table')
    else:
        with fails(HttpResponseError, 403, 'AuthorizationProtocolMismatch'):
            list(client.list_entities())


@case('an account signature may stand in a connection string')
def _():
    settings = f'TableEndpoint={endpoint};SharedAccessSignature={signed("co", "lcraud")}'
    client = TableServiceClient.from_connection_string(settings, **options)
    table = client.create_table(fresh_name())
    table.create_entity(entity())
    equal(list(table.list_entities()), [entity()], 'the table')
