"""Keys of special characters, in addresses, in filters, in bodies and inside transactions."""

from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.data.tables import UpdateMode

from account import entity, fresh_table
from expect import answer_to, equal, fails
from runner import case

KEYS = {
    'a quote': "O'Hara",
    'doubled quotes': "it''s '' here",
    'nothing but quotes': "'''",
    'a percent sign': '100% of %',
    'the literal text %27': 'a%27b',
    'the literal text %20': 'a%20b',
    'the literal text %2520': '%2520',
    'a plus': 'a+b+',
    'spaces inside and at the ends': '  a  b  ',
    'a comma': "a,RowKey='b",
    'parentheses': '(a)()',
    'equals and ampersand': 'a=b&c=d&$filter=',
    'the other marks of addresses': 'a;b:c@d$e!f*g~h',
    'double quotes and brackets': '"a"<b>[c]{d}|^`',
    'dots': '..',
    'letters of many languages': 'Größe ñ 日本語 Привет',
    'combining characters, not composed': 'e\u0301 \u1100\u1161',
    'supplementary characters': '😀𝒳👩\u200d👧',
    'nothing at all': '',
}


def keys_of(entities):
    return [(found['PartitionKey'], found['RowKey']) for found in entities]


def try_operations(partition, row):
    """Each operation on one entity among neighbours that a wrongly read key would reach."""
    table = fresh_table()
    table.create_entity(entity('row', 'partition', other=True))
    table.create_entity(entity(row, partition, value=1))

    equal(table.get_entity(partition, row), entity(row, partition, value=1), 'after the insert')
    found = table.query_entities(
        'PartitionKey eq @partition and RowKey eq @row', parameters={'partition': partition, 'row': row}
    )
    equal(keys_of(found), [(partition, row)], 'the query')

    table.upsert_entity(entity(row, partition, merged=2), UpdateMode.MERGE)
    equal(table.get_entity(partition, row), entity(row, partition, value=1, merged=2), 'after the upsert')
    table.upsert_entity(entity(row, partition, value=3), UpdateMode.REPLACE)
    equal(table.get_entity(partition, row), entity(row, partition, value=3), 'after the replacing upsert')
    table.update_entity(entity(row, partition, merged=4), UpdateMode.MERGE)
    equal(table.get_entity(partition, row), entity(row, partition, value=3, merged=4), 'after the merge')
    current = table.get_entity(partition, row).metadata['etag']
    table.update_entity(
        entity(row, partition, value=5),
        UpdateMode.REPLACE,
        etag=current,
        match_condition=MatchConditions.IfNotModified,
    )
    equal(table.get_entity(partition, row), entity(row, partition, value=5), 'after the update')

    equal(len(list(table.list_entities())), 2, 'the number of entities')
    equal(answer_to(table.delete_entity, partition, row).status_code, 204, 'the status of the delete')
    with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
        table.get_entity(partition, row)
    equal(keys_of(table.list_entities()), [('partition', 'row')], 'what is left')


def try_transactions(partition, row):
    table = fresh_table()
    rows = [row, f'{row}2', f'{row}3', f'{row}4']
    table.submit_transaction([('create', entity(name, partition, value=1)) for name in rows])
    equal(keys_of(table.list_entities()), sorted((partition, name) for name in rows), 'after the inserts')
    table.submit_transaction(
        [
            ('update', entity(rows[0], partition, merged=2), {'mode': UpdateMode.MERGE}),
            ('update', entity(rows[1], partition, value=3), {'mode': UpdateMode.REPLACE}),
            ('upsert', entity(rows[2], partition, merged=4), {'mode': UpdateMode.MERGE}),
            ('delete', entity(rows[3], partition)),
        ]
    )
    equal(
        list(table.list_entities()),
        [
            entity(rows[0], partition, value=1, merged=2),
            entity(rows[1], partition, value=3),
            entity(rows[2], partition, value=1, merged=4),
        ],
        'after the changes',
    )


def register(description, key):
    @case(f'keys with {description} work in every operation')
    def _():
        try_operations(key, 'row')
        try_operations('partition', key)
        try_operations(key, key)

    @case(f'keys with {description} work in transactions')
    def _():
        try_transactions(key, key)


for description, key in KEYS.items():
    register(description, key)


@case('all these keys are different entities of one table')
def _():
    table = fresh_table()
    for partition in KEYS.values():
        table.submit_transaction([('create', entity(row, partition)) for row in KEYS.values()])
    found = keys_of(table.list_entities())
    equal(len(found), len(KEYS) ** 2, 'the number of entities')
    equal(set(found), {(partition, row) for partition in KEYS.values() for row in KEYS.values()}, 'the keys')


@case('keys that differ only in case or in composition are different entities')
def _():
    table = fresh_table()
    rows = ['a', 'A', '\u00e9', 'e\u0301']
    for row in rows:
        table.create_entity(entity(row))
    equal(keys_of(table.list_entities()), [('partition', row) for row in sorted(rows)], 'the keys')


@case('keys with forbidden characters are refused by an insert with OutOfRangeInput')
def _():
    table = fresh_table()
    for character in ('/', '\\', '#', '?', '\t', '\n', '\x1f', '\x7f', '\x80', '\x9f'):
        for keys in ((f'a{character}b', 'partition'), ('row', f'a{character}b')):
            with fails(HttpResponseError, 400, 'OutOfRangeInput'):
                table.create_entity(entity(*keys))
    equal(list(table.list_entities()), [], 'the entities')


@case('keys with slashes in an address are InvalidInput')
def _():
    table = fresh_table()
    for key in ('a/b', 'a\\b'):
        with fails(HttpResponseError, 400, 'InvalidInput'):
            table.get_entity('partition', key)
        with fails(HttpResponseError, 400, 'InvalidInput'):
            table.upsert_entity(entity(key))
        with fails(HttpResponseError, 400, 'InvalidInput'):
            table.delete_entity(key, 'row')


@case('keys with number sign or question mark are not found by a get and OutOfRangeInput to a write')
def _():
    table = fresh_table()
    for key in ('a#b', 'a?b'):
        with fails(ResourceNotFoundError, 404, 'ResourceNotFound'):
            table.get_entity('partition', key)
        with fails(HttpResponseError, 400, 'OutOfRangeInput'):
            table.upsert_entity(entity(key))


@case('an entity without PartitionKey or RowKey is refused')
def _():
    table = fresh_table()
    # The client makes a ValueError of PropertiesNeedValue, and raises it only for that code.
    with fails(ValueError):
        table.create_entity({'RowKey': 'row', 'value': 1})
    with fails(ValueError):
        table.create_entity({'PartitionKey': 'partition', 'value': 1})


@case('keys that are no strings are InvalidInput')
def _():
    table = fresh_table()
    for keys in ((1, 'partition'), ('row', True), ('row', 1.5)):
        with fails(HttpResponseError, 400, 'InvalidInput'):
            table.create_entity(entity(*keys))
