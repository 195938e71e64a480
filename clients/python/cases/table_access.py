"""Shared access signatures of one table: permissions, times, addresses. Ranges are in ranges.py."""

from azure.core.exceptions import (
    HttpResponseError,
)
from azure.data.tables import (
    TableAccessPolicy,
    TableClient,
    TableSasPermissions,
    UpdateMode,
    generate_table_sas,
)

from account import (
    credential,
    endpoint,
    entity,
    fresh_name,
    fresh_table,
    from_now,
    options,
    service_with_sas,
    shared,
    table_with_sas,
    wrong_credential,
)
from expect import equal, fails, is_forbidden, is_not_authenticated, transaction_fails
from runner import case

# Which of the two the service says has changed with its version.
NOT_PERMITTED = ('AuthorizationFailure', 'AuthorizationPermissionMismatch')


def try_writes(client, row, allowed):
    """Tries each write on an existing entity and each creation; the names of those allowed must succeed."""
    writes = {
        'insert': lambda: client.create_entity(entity(f'{row}new')),
        'merge': lambda: client.update_entity(entity(row, merged=1), UpdateMode.MERGE),
        'replace': lambda: client.update_entity(entity(row, replaced=1), UpdateMode.REPLACE),
        'upsert that merges': lambda: client.upsert_entity(entity(row, merged=1), UpdateMode.MERGE),
        'upsert that replaces': lambda: client.upsert_entity(entity(row, replaced=1), UpdateMode.REPLACE),
        'delete': lambda: client.delete_entity('partition', row),
    }
    for name, write in writes.items():
        if name in allowed:
            write()
        else:
            with is_forbidden(*NOT_PERMITTED):
                write()


def try_permission(permission, *allowed):
    table = fresh_table()
    table.create_entity(entity(value=1))
    client = shared(table, permission)
    if 'r' in permission:
        equal(client.get_entity('partition', 'row'), entity(value=1))
        equal(list(client.query_entities('value eq 1')), [entity(value=1)], 'the query')
    else:
        with is_forbidden(*NOT_PERMITTED):
            client.get_entity('partition', 'row')
        with is_forbidden(*NOT_PERMITTED):
            list(client.list_entities())
    try_writes(client, 'row', allowed)
    return table


@case('a table signature with r alone reads and writes nothing')
def _():
    table = try_permission('r')
    equal(list(table.list_entities()), [entity(value=1)], 'the table')


@case('a table signature with a alone inserts and does nothing else')
def _():
    table = try_permission('a', 'insert')
    equal(list(table.list_entities()), [entity(value=1), entity('rownew')], 'the table')


@case('a table signature with u alone updates and does nothing else')
def _():
    table = try_permission('u', 'merge', 'replace')
    equal(list(table.list_entities()), [entity(replaced=1)], 'the table')


@case('a table signature with d alone deletes and does nothing else')
def _():
    table = try_permission('d', 'delete')
    equal(list(table.list_entities()), [], 'the table')


@case('a table signature with a and u upserts')
def _():
    try_permission('au', 'insert', 'merge', 'replace', 'upsert that merges', 'upsert that replaces')


@case('a table signature with all permissions does everything')
def _():
    table = fresh_table()
    client = shared(table, TableSasPermissions(read=True, add=True, update=True, delete=True))
    client.create_entity(entity(value=1))
    client.upsert_entity(entity(value=2))
    client.update_entity(entity(value=3))
    equal(client.get_entity('partition', 'row'), entity(value=3))
    client.delete_entity('partition', 'row')
    equal(list(client.list_entities()), [], 'the table')


@case('a table signature lets a transaction do what its operations may')
def _():
    table = fresh_table()
    table.create_entity(entity('old', value=1))
    shared(table, 'a').submit_transaction([('create', entity(row)) for row in ('a', 'b')])
    shared(table, 'u').submit_transaction(
        [('update', entity('old', value=2)), ('update', entity('a', value=2))]
    )
    shared(table, 'au').submit_transaction([('upsert', entity('c')), ('create', entity('d'))])
    shared(table, 'd').submit_transaction([('delete', entity('b')), ('delete', entity('d'))])
    found = [(got['RowKey'], got.get('value')) for got in table.list_entities()]
    equal(found, [('a', 2), ('c', None), ('old', 2)], 'the table')


@case('an operation of a transaction that the signature does not permit fails it with its index')
def _():
    table = fresh_table()
    table.create_entity(entity('old', value=1))
    create, update, delete = ('create', entity('new')), ('update', entity('old')), ('delete', entity('old'))
    for permission, operations in (
        ('a', [create, update]),
        ('u', [update, ('delete', entity('other'))]),
        ('d', [delete, create]),
        ('a', [create, ('upsert', entity('other'))]),
        ('au', [create, delete]),
    ):
        with transaction_fails(1, 403, *NOT_PERMITTED):
            shared(table, permission).submit_transaction(operations)
    equal(list(table.list_entities()), [entity('old', value=1)], 'the table')


@case('a signature may stand in the address of the table')
def _():
    table = fresh_table()
    token = generate_table_sas(credential, table.table_name, permission='ra', expiry=from_now(hours=1))
    client = TableClient.from_table_url(f'{endpoint}/{table.table_name}?{token}', **options)
    client.create_entity(entity())
    equal(list(client.list_entities()), [entity()], 'the table')


@case('a signature may stand in a connection string')
def _():
    table = fresh_table()
    token = generate_table_sas(credential, table.table_name, permission='ra', expiry=from_now(hours=1))
    settings = f'TableEndpoint={endpoint};SharedAccessSignature={token}'
    client = TableClient.from_connection_string(settings, table.table_name, **options)
    client.create_entity(entity())
    equal(list(client.list_entities()), [entity()], 'the table')


@case('a signature for the name of a table in another case holds')
def _():
    table = fresh_table()
    token = generate_table_sas(
        credential, table.table_name.upper(), permission='ra', expiry=from_now(hours=1)
    )
    table_with_sas(table.table_name, token).create_entity(entity())
    equal(list(table_with_sas(table.table_name.upper(), token).list_entities()), [entity()], 'the table')


@case('a signature does not reach another table')
def _():
    table, other = fresh_table(), fresh_table()
    token = generate_table_sas(credential, table.table_name, permission='raud', expiry=from_now(hours=1))
    client = table_with_sas(other.table_name, token)
    with is_forbidden():
        list(client.list_entities())
    with is_forbidden():
        client.create_entity(entity())
    with is_forbidden():
        client.submit_transaction([('create', entity())])
    equal(list(other.list_entities()), [], 'the other table')


@case('a table signature neither lists, creates nor deletes tables')
def _():
    table = fresh_table()
    token = generate_table_sas(credential, table.table_name, permission='raud', expiry=from_now(hours=1))
    with is_forbidden():
        list(service_with_sas(token).list_tables())
    with is_forbidden():
        service_with_sas(token).create_table(fresh_name())
    with is_forbidden():
        table_with_sas(table.table_name, token).delete_table()
    equal(list(table.list_entities()), [], 'the table')


@case('a table signature reaches neither access policies nor service properties')
def _():
    table = fresh_table()
    client = shared(table)
    token = generate_table_sas(credential, table.table_name, permission='raud', expiry=from_now(hours=1))
    for attempt in (
        client.get_table_access_policy,
        lambda: client.set_table_access_policy({'id': TableAccessPolicy(permission='r')}),
        service_with_sas(token).get_service_properties,
        lambda: service_with_sas(token).set_service_properties(cors=[]),
    ):
        with is_forbidden():
            attempt()
    equal(table.get_table_access_policy(), {}, 'the policies')


@case('an expired signature is AuthenticationFailed')
def _():
    is_not_authenticated(shared(fresh_table(), expiry=from_now(minutes=-1)))
    is_not_authenticated(shared(fresh_table(), expiry='2020-01-01'))


@case('a signature that does not hold yet is AuthenticationFailed')
def _():
    is_not_authenticated(shared(fresh_table(), start=from_now(hours=1), expiry=from_now(hours=2)))


@case('a signature holds between its start and its expiry, in every form of the time')
def _():
    table = fresh_table()
    table.create_entity(entity())
    for start, expiry in (
        (from_now(hours=-1), from_now(hours=1)),
        ('2020-01-01', '2999-12-31'),
        ('2020-01-01T00:00Z', '2999-12-31T23:59Z'),
        ('2020-01-01T00:00:00.1234567Z', '2999-12-31T23:59:59Z'),
    ):
        equal(list(shared(table, start=start, expiry=expiry).list_entities()), [entity()], f'from {start}')


@case('a signature without an expiry is AuthenticationFailed')
def _():
    is_not_authenticated(shared(fresh_table(), expiry=None))


@case('a signature without permissions is AuthenticationFailed')
def _():
    is_not_authenticated(shared(fresh_table(), permission=None))


@case('a signature by another key is AuthenticationFailed')
def _():
    table = fresh_table()
    token = generate_table_sas(wrong_credential, table.table_name, permission='r', expiry=from_now(hours=1))
    is_not_authenticated(table_with_sas(table.table_name, token))


@case('a signature whose permissions were changed afterwards is AuthenticationFailed')
def _():
    table = fresh_table()
    token = generate_table_sas(credential, table.table_name, permission='r', expiry=from_now(hours=1))
    equal(token.count('sp=r&'), 1, 'the number of permissions')
    is_not_authenticated(table_with_sas(table.table_name, token.replace('sp=r&', 'sp=raud&')))


@case('a signature for the addresses of clients admits those and no others')
def _():
    table = fresh_table()
    table.create_entity(entity())
    everyone = shared(table, ip_address_or_range='0.0.0.0-255.255.255.255')
    equal(list(everyone.list_entities()), [entity()], 'the table')
    for addresses in ('203.0.113.7', '203.0.113.1-203.0.113.9'):
        with fails(HttpResponseError, 403, 'AuthorizationSourceIPMismatch'):
            list(shared(table, ip_address_or_range=addresses).list_entities())


@case('a signature for HTTPS alone is refused over HTTP')
def _():
    table = fresh_table()
    table.create_entity(entity())
    equal(list(shared(table, protocol='https,http').list_entities()), [entity()], 'the table')
    # Not SASProtocol.HTTPS: this client writes the enumeration's name into the token.
    client = shared(table, protocol='https')
    if endpoint.startswith('https:'):
        equal(list(client.list_entities()), [entity()], 'the table')
    else:
        with fails(HttpResponseError, 403, 'AuthorizationProtocolMismatch'):
            list(client.list_entities())
