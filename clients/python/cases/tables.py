"""Tables: create, list, filter, page, delete, names."""

from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.data.tables import TableServiceClient, TableTransactionError, UpdateMode

from account import connection_string, entity, fresh_name, fresh_names, fresh_table, options, service
from expect import answer_to, code_in, equal, fails, holds
from runner import case


def names_of(tables):
    return [table.name for table in tables]


def listed(name):
    return names_of(service.query_tables('TableName eq @name', parameters={'name': name}))


def created(*endings):
    """The names, in order, of tables made in the order of the endings."""
    names = fresh_names(*endings)
    for name in names:
        service.create_table(name)
    return sorted(names)


def between(names):
    return f"TableName ge '{names[0]}' and TableName le '{names[-1]}'"


@case('a created table is listed as it was spelled')
def _():
    (name,) = created('MixedCase')
    equal(listed(name), [name], 'the list')


@case('creating a table twice is refused with TableAlreadyExists')
def _():
    table = fresh_table()
    with fails(ResourceExistsError, 409, 'TableAlreadyExists'):
        service.create_table(table.table_name)


@case('a table cannot be created again under its name in another case')
def _():
    table = fresh_table()
    with fails(ResourceExistsError, 409, 'TableAlreadyExists'):
        service.create_table(table.table_name.upper())


@case('create_table_if_not_exists leaves the entities of an existing table in place')
def _():
    table = fresh_table()
    table.create_entity(entity(kept=True))
    again = service.create_table_if_not_exists(table.table_name)
    equal(again.get_entity('partition', 'row')['kept'], True)


@case('create_table_if_not_exists creates a missing table')
def _():
    name = fresh_name()
    service.create_table_if_not_exists(name)
    equal(listed(name), [name], 'the list')


@case('a table is created with an echo or without, as the client prefers')
def _():
    echoed, silent = fresh_name(), fresh_name()
    client = service.get_table_client(echoed)
    answer = answer_to(client.create_table, response_preference='return-content')
    equal(answer.status_code, 201, 'the status')
    equal(answer.json()['TableName'], echoed, 'the name')
    equal(answer.headers['Preference-Applied'], 'return-content', 'Preference-Applied')
    client = service.get_table_client(silent)
    answer = answer_to(client.create_table, response_preference='return-no-content')
    equal(answer.status_code, 204, 'the status')
    equal(answer.headers['Preference-Applied'], 'return-no-content', 'Preference-Applied')
    equal(answer.headers['DataServiceId'], answer.headers['Location'], 'DataServiceId')


@case("entities are reached by their table's name in another case")
def _():
    table = fresh_table()
    table.create_entity(entity(value=1))
    other = service.get_table_client(table.table_name.upper())
    equal(other.get_entity('partition', 'row')['value'], 1)
    other.upsert_entity(entity('second', value=2))
    equal(table.get_entity('partition', 'second')['value'], 2)


@case('a table is deleted under its name in another case')
def _():
    table = fresh_table()
    service.delete_table(table.table_name.upper())
    equal(listed(table.table_name), [], 'the list')


@case('a deleted table is no longer listed, and made anew it is empty')
def _():
    table = fresh_table()
    table.create_entity(entity())
    table.delete_table()
    equal(listed(table.table_name), [], 'the list')
    table.create_table()
    equal(list(table.list_entities()), [], 'the entities')


@case('deleting a missing table is silent in the client and ResourceNotFound on the wire')
def _():
    answer = answer_to(service.delete_table, fresh_name())
    equal(answer.status_code, 404, 'the status')
    equal(code_in(answer), 'ResourceNotFound', 'the code')


@case('tables are listed by a range of their names')
def _():
    made = created(*'abcd')
    found = service.query_tables(
        'TableName ge @from and TableName lt @to', parameters={'from': made[1], 'to': made[3]}
    )
    equal(names_of(found), made[1:3], 'the list')


@case('tables are listed by a filter with or')
def _():
    first, second, third = (fresh_table().table_name for _ in range(3))
    found = service.query_tables(f"TableName eq '{first}' or TableName eq '{third}'")
    equal(sorted(names_of(found)), sorted([first, third]), 'the list')


@case('a filter that no table passes gives an empty list')
def _():
    equal(listed(fresh_name()), [], 'the list')


@case('a list of tables comes in pages, each table once and in order')
def _():
    made = created(*'6524310')
    pages = service.query_tables(between(made), results_per_page=3).by_page()
    equal([names_of(page) for page in pages], [made[0:3], made[3:6], made[6:7]], 'the pages')


@case('another client goes on in a list of tables by its token')
def _():
    made = created(*'01234')
    pages = service.query_tables(between(made), results_per_page=2).by_page()
    equal(names_of(next(pages)), made[0:2], 'the first page')
    other = TableServiceClient.from_connection_string(connection_string, **options)
    rest = other.query_tables(between(made), results_per_page=2).by_page(pages.continuation_token)
    equal([names_of(page) for page in rest], [made[2:4], made[4:5]], 'the other pages')


@case('the list of all tables holds every table')
def _():
    made = {fresh_table().table_name for _ in range(3)}
    holds(made <= set(names_of(service.list_tables())), 'all of them are listed')
    holds(made <= set(names_of(service.list_tables(results_per_page=1))), 'all of them are listed one by one')


@case('names of 3 and of 63 characters are allowed, of 2 and of 64 are not')
def _():
    for length in (3, 63):
        name = fresh_name(length)
        service.create_table(name)
        equal(listed(name), [name], 'the list')
    # The client makes a ValueError of what the service says of a bad name, if it knows the code and the text.
    for length in (2, 64):
        with fails(ValueError):
            service.create_table('p' * length)


@case('names with other characters than letters and digits, or a digit in front, are refused')
def _():
    for name in ('my_table', 'my-table', '1table', 'täble'):
        with fails(ValueError):
            service.create_table(name)


@case('the name "tables" is reserved')
def _():
    for name in ('tables', 'Tables'):
        with fails(HttpResponseError, 400, 'InvalidInput'):
            service.create_table(name)


@case('reading from a missing table is TableNotFound')
def _():
    missing = service.get_table_client(fresh_name())
    with fails(ResourceNotFoundError, 404, 'TableNotFound'):
        missing.get_entity('partition', 'row')
    with fails(ResourceNotFoundError, 404, 'TableNotFound'):
        list(missing.list_entities())
    with fails(ResourceNotFoundError, 404, 'TableNotFound'):
        list(missing.query_entities("PartitionKey eq 'partition'"))


@case('writing to a missing table is TableNotFound')
def _():
    missing = service.get_table_client(fresh_name())
    with fails(ResourceNotFoundError, 404, 'TableNotFound'):
        missing.create_entity(entity())
    for mode in UpdateMode:
        with fails(ResourceNotFoundError, 404, 'TableNotFound'):
            missing.upsert_entity(entity(), mode)
        with fails(ResourceNotFoundError, 404, 'TableNotFound'):
            missing.update_entity(entity(), mode)
    equal(code_in(answer_to(missing.delete_entity, 'partition', 'row')), 'TableNotFound', 'the code')


@case('a transaction on a missing table is TableNotFound')
def _():
    missing = service.get_table_client(fresh_name())
    with fails(TableTransactionError, 404, 'TableNotFound'):
        missing.submit_transaction([('create', entity())])


@case('access policies of a missing table are TableNotFound')
def _():
    missing = service.get_table_client(fresh_name())
    with fails(ResourceNotFoundError, 404, 'TableNotFound'):
        missing.get_table_access_policy()
    with fails(ResourceNotFoundError, 404, 'TableNotFound'):
        missing.set_table_access_policy({})
