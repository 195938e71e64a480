"""Paging: every entity once and in order, whoever goes on with the token."""

from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableClient

from account import connection_string, entity, fresh_table, options
from cases.keys import KEYS
from expect import equal, fails, holds
from runner import case


def fill(table, count, partition='partition', **properties):
    for start in range(0, count, 100):
        table.submit_transaction(
            [
                ('create', entity(f'{number:05}', partition, number=number, **properties))
                for number in range(start, min(start + 100, count))
            ]
        )


def numbers(entities):
    return [found['number'] for found in entities]


def page_sizes(pages):
    return [len(list(page)) for page in pages]


def another_client(table):
    return TableClient.from_connection_string(connection_string, table.table_name, **options)


@case('more than a thousand entities come in pages of a thousand')
def _():
    table = fresh_table()
    fill(table, 1234)
    pages = [numbers(page) for page in table.list_entities().by_page()]
    equal([len(page) for page in pages], [1000, 234], 'the sizes of the pages')
    equal(sum(pages, []), list(range(1234)), 'the entities')


@case('exactly a thousand entities are one page')
def _():
    table = fresh_table()
    fill(table, 1000)
    pages = table.list_entities().by_page()
    equal(len(list(next(pages))), 1000, 'the size of the page')
    equal(pages.continuation_token, None, 'the token')


@case('a page has as many entities as were asked for')
def _():
    table = fresh_table()
    fill(table, 10)
    for size, expected in (
        (1, [1] * 10),
        (3, [3, 3, 3, 1]),
        (5, [5, 5]),
        (9, [9, 1]),
        (10, [10]),
        (11, [10]),
    ):
        equal(page_sizes(table.list_entities(results_per_page=size).by_page()), expected, f'pages of {size}')


@case('another client goes on by the token')
def _():
    table = fresh_table()
    fill(table, 10)
    pages = table.list_entities(results_per_page=4).by_page()
    equal(numbers(next(pages)), [0, 1, 2, 3], 'the first page')
    rest = another_client(table).list_entities(results_per_page=5).by_page(pages.continuation_token)
    equal([numbers(page) for page in rest], [[4, 5, 6, 7, 8], [9]], 'the other pages')


@case('another client goes on by the token in a query with filter and projection')
def _():
    table = fresh_table()
    fill(table, 40)
    condition = 'number ge 10 and number lt 20'
    pages = table.query_entities(condition, results_per_page=4, select='number').by_page()
    equal(list(next(pages)), [{'number': n} for n in range(10, 14)], 'the first page')
    rest = another_client(table).query_entities(condition, select='number')
    equal(
        list(next(rest.by_page(pages.continuation_token))), [{'number': n} for n in range(14, 20)], 'the rest'
    )


@case('a token can be used more than once')
def _():
    table = fresh_table()
    fill(table, 6)
    pages = table.list_entities(results_per_page=2).by_page()
    next(pages)
    token = pages.continuation_token
    for _ in range(2):
        equal(numbers(next(table.list_entities().by_page(token))), [2, 3, 4, 5], 'the rest')


@case('a token survives the entity that it points at')
def _():
    table = fresh_table()
    fill(table, 6)
    pages = table.list_entities(results_per_page=2).by_page()
    next(pages)
    token = pages.continuation_token
    table.delete_entity('partition', '00002')
    equal(numbers(next(table.list_entities().by_page(token))), [3, 4, 5], 'the rest')


@case('what is written behind the token is found, what is written before it is not')
def _():
    table = fresh_table()
    fill(table, 4)
    pages = table.list_entities(results_per_page=2).by_page()
    next(pages)
    table.create_entity(entity('00000b', number=-1))
    table.create_entity(entity('00002b', number=25))
    equal(numbers(next(pages)), [2, 25], 'the second page')
    equal(numbers(next(pages)), [3], 'the third page')


@case('pages go over partitions')
def _():
    table = fresh_table()
    for partition in ('a', 'b', 'c'):
        fill(table, 4, partition)
    pages = [
        [found['PartitionKey'] + str(found['number']) for found in page]
        for page in table.list_entities(results_per_page=5).by_page()
    ]
    equal(sum(pages, []), [f'{partition}{n}' for partition in 'abc' for n in range(4)], 'the entities')


@case('every special key is visited once when the pages are of one entity')
def _():
    table = fresh_table()
    keys = sorted((partition, row) for partition in KEYS.values() for row in ('', "it's", '日本%27+ '))
    for partition, row in keys:
        table.create_entity(entity(row, partition))
    found = [(got['PartitionKey'], got['RowKey']) for got in table.list_entities(results_per_page=1)]
    equal(found, keys, 'the keys')


@case('a query that finds nothing is one empty page without a token')
def _():
    table = fresh_table()
    fill(table, 5)
    pages = table.query_entities('number gt 100').by_page()
    equal(numbers(next(pages)), [], 'the page')
    equal(pages.continuation_token, None, 'the token')


@case('a few matches among thousands are all found')
def _():
    table = fresh_table()
    fill(table, 2500)
    found = table.query_entities('number eq 3 or number eq 1700 or number eq 2499')
    equal(numbers(found), [3, 1700, 2499], 'the entities')


@case('large entities come in pages that hold each of them once')
def _():
    table = fresh_table()
    data = bytes(60 * 1024)
    for start in range(0, 120, 40):
        table.submit_transaction(
            [('create', entity(f'{n:05}', number=n, data=data)) for n in range(start, start + 40)]
        )
    found = list(table.list_entities())
    equal(numbers(found), list(range(120)), 'the entities')
    holds(all(got['data'] == data for got in found), 'every entity has its data')


@case('a page of more than a thousand or of fewer than none is InvalidInput')
def _():
    table = fresh_table()
    for size in (1001, -1):
        with fails(HttpResponseError, 400, 'InvalidInput'):
            list(table.list_entities(results_per_page=size))


@case('a page of none is empty')
def _():
    table = fresh_table()
    fill(table, 2)
    equal(list(next(table.list_entities(results_per_page=0).by_page())), [], 'the page')


@case('every operation takes a timeout')
def _():
    table = fresh_table()
    table.create_entity(entity(number=1), timeout=30)
    table.update_entity(entity(number=2), timeout=30)
    table.upsert_entity(entity(number=3), timeout=30)
    equal(table.get_entity('partition', 'row', timeout=30)['number'], 3)
    equal(numbers(table.list_entities(timeout=30)), [3], 'the entities')
    table.delete_entity('partition', 'row', timeout=30)
    equal(numbers(table.query_entities('number eq 3', timeout=30)), [], 'the entities')
