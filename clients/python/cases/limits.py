"""Limits of entities and properties: at the edge and one beyond it."""

from azure.core.exceptions import HttpResponseError
from azure.data.tables import EdmType, EntityProperty, UpdateMode

from account import entity, fresh_table
from expect import equal, fails
from runner import case

PROPERTIES_MAX = 252
NAME_LENGTH_MAX = 255
STRING_LENGTH_MAX = 32 * 1024
BINARY_BYTES_MAX = 64 * 1024
KEY_LENGTH_MAX = 512


def numbered(count):
    return {f'property{number}': number for number in range(count)}


def is_refused(code, **properties):
    """However it is written: by an insert, by an upsert, and by an update of an entity that is there."""
    table = fresh_table()
    with fails(HttpResponseError, 400, code):
        table.create_entity(entity(**properties))
    for mode in UpdateMode:
        with fails(HttpResponseError, 400, code):
            table.upsert_entity(entity(**properties), mode)
    equal(list(table.list_entities()), [], 'the entities')
    table.create_entity(entity(kept=True))
    for mode in UpdateMode:
        with fails(HttpResponseError, 400, code):
            table.update_entity(entity(**properties), mode)
    equal(table.get_entity('partition', 'row'), entity(kept=True), 'the entity')


def is_accepted(**properties):
    table = fresh_table()
    table.create_entity(entity(**properties))
    equal(table.get_entity('partition', 'row'), entity(**properties), 'the entity')


@case('252 properties are accepted')
def _():
    is_accepted(**numbered(PROPERTIES_MAX))


@case('253 properties are TooManyProperties')
def _():
    is_refused('TooManyProperties', **numbered(PROPERTIES_MAX + 1))


@case('a merge that would leave 253 properties is TooManyProperties')
def _():
    table = fresh_table()
    table.create_entity(entity(**numbered(PROPERTIES_MAX)))
    with fails(HttpResponseError, 400, 'TooManyProperties'):
        table.update_entity(entity(onemore=1), UpdateMode.MERGE)
    with fails(HttpResponseError, 400, 'TooManyProperties'):
        table.upsert_entity(entity(onemore=1), UpdateMode.MERGE)
    table.upsert_entity(entity(property0=-1), UpdateMode.MERGE)
    equal(table.get_entity('partition', 'row'), entity(**numbered(PROPERTIES_MAX)) | {'property0': -1})


@case('a name of 255 characters is accepted')
def _():
    is_accepted(**{'n' * NAME_LENGTH_MAX: 1})


@case('a name of 256 characters is PropertyNameTooLong')
def _():
    is_refused('PropertyNameTooLong', **{'n' * (NAME_LENGTH_MAX + 1): 1})


@case('names that are no identifiers are PropertyNameInvalid')
def _():
    for name in ('123', 'a-b', 'a b'):
        is_refused('PropertyNameInvalid', **{name: 1})


@case('a String of 32 Ki characters is accepted')
def _():
    is_accepted(text='ä' * STRING_LENGTH_MAX)


@case('a String of one character more is PropertyValueTooLarge')
def _():
    is_refused('PropertyValueTooLarge', text='x' * (STRING_LENGTH_MAX + 1))


@case('the length of a String is counted in UTF-16 units')
def _():
    is_accepted(text='😀' * (STRING_LENGTH_MAX // 2))
    is_refused('PropertyValueTooLarge', text='😀' * (STRING_LENGTH_MAX // 2) + 'x')


@case('a Binary of one byte more than 64 KiB is PropertyValueTooLarge')
def _():
    is_refused('PropertyValueTooLarge', data=bytes(BINARY_BYTES_MAX + 1))


@case('an entity of nearly 1 MiB is accepted')
def _():
    is_accepted(**{f'data{number}': bytes(BINARY_BYTES_MAX) for number in range(15)})


@case('an entity of more than 1 MiB is EntityTooLarge')
def _():
    is_refused('EntityTooLarge', **{f'data{number}': bytes(BINARY_BYTES_MAX) for number in range(16)})


@case('a merge that would make an entity larger than 1 MiB is EntityTooLarge')
def _():
    table = fresh_table()
    half = {f'data{number}': bytes(BINARY_BYTES_MAX) for number in range(8)}
    table.create_entity(entity(**half))
    other = {f'other{number}': bytes(BINARY_BYTES_MAX) for number in range(8)}
    with fails(HttpResponseError, 400, 'EntityTooLarge'):
        table.update_entity(entity(**other), UpdateMode.MERGE)
    equal(table.get_entity('partition', 'row'), entity(**half), 'the entity')


@case('a DateTime before 1601 is OutOfRangeInput')
def _():
    is_refused('OutOfRangeInput', time=EntityProperty('1600-12-31T23:59:59Z', EdmType.DATETIME))
    is_refused('OutOfRangeInput', time=EntityProperty('0001-01-01T00:00:00Z', EdmType.DATETIME))


@case('a DateTime that is none is InvalidInput')
def _():
    is_refused('InvalidInput', time=EntityProperty('2021-02-30T00:00:00Z', EdmType.DATETIME))
    is_refused('InvalidInput', time=EntityProperty('yesterday', EdmType.DATETIME))


@case('a Guid and a Double that are none are InvalidInput')
def _():
    is_refused('InvalidInput', guid=EntityProperty('not-a-guid', EdmType.GUID))
    is_refused('InvalidInput', ratio=EntityProperty('1.5x', EdmType.DOUBLE))


@case('keys of 512 characters are accepted')
def _():
    table = fresh_table()
    partition, row = 'p' * KEY_LENGTH_MAX, 'r' * KEY_LENGTH_MAX
    table.create_entity(entity(row, partition))
    equal(table.get_entity(partition, row), entity(row, partition))


@case('a key of 2048 characters is refused')
def _():
    table = fresh_table()
    for keys in (('r' * 2048, 'p'), ('r', 'p' * 2048)):
        with fails(HttpResponseError, 400, 'PropertyValueTooLarge', 'KeyValueTooLarge'):
            table.create_entity(entity(*keys))
