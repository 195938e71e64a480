"""Queries: filters of every operator and type, and projection."""

import operator
from datetime import datetime, timedelta, timezone
from uuid import UUID

from azure.core.exceptions import HttpResponseError
from azure.data.tables import EdmType, EntityProperty

from account import entity, fresh_table
from expect import equal, fails, holds
from runner import case

OPERATORS = {
    'eq': operator.eq,
    'ne': operator.ne,
    'gt': operator.gt,
    'ge': operator.ge,
    'lt': operator.lt,
    'le': operator.le,
}


def table_of(**entities):
    """A table of entities by their row keys, each with its properties."""
    table = fresh_table()
    table.submit_transaction([('create', entity(row, **properties)) for row, properties in entities.items()])
    return table


def rows(table, condition, **parameters):
    return [found['RowKey'] for found in table.query_entities(condition, parameters=parameters)]


def compares(literals, values=None):
    """Each operator with each literal finds what Python's own operator finds among the values."""
    values = values or [value for value, _ in literals]
    table = table_of(**{f'row{number}': {'value': value} for number, value in enumerate(values)})
    plain = [value.value if isinstance(value, EntityProperty) else value for value in values]
    for value, literal in literals:
        value = value.value if isinstance(value, EntityProperty) else value
        for name, holds_between in OPERATORS.items():
            expected = [f'row{number}' for number, other in enumerate(plain) if holds_between(other, value)]
            condition = f'value {name} {literal}'
            equal(rows(table, condition), expected, condition)


def compares_as_parameters(values):
    table = table_of(**{f'row{number}': {'value': value} for number, value in enumerate(values)})
    for value in values:
        for name, holds_between in OPERATORS.items():
            expected = [f'row{number}' for number, other in enumerate(values) if holds_between(other, value)]
            equal(rows(table, f'value {name} @value', value=value), expected, f'value {name} {value!r}')


@case('every operator compares String, by code point and by case')
def _():
    compares([(text, f"'{text}'") for text in ('', '10', '2', 'A', 'B', 'a', 'b', 'bB', 'é', '日本')])


@case('every operator compares Boolean')
def _():
    compares([(False, 'false'), (True, 'true')])


@case('every operator compares Int32')
def _():
    compares([(value, str(value)) for value in (-(2**31), -10, -2, 0, 2, 10, 2**31 - 1)])


@case('every operator compares Int64')
def _():
    values = (-(2**63), -(2**31) - 1, -1, 0, 2**53, 2**53 + 1, 2**63 - 1)
    compares([(EntityProperty(value, EdmType.INT64), f'{value}L') for value in values])


@case('every operator compares Double')
def _():
    values = (-1.5e300, -2.5, -0.125, 0.0, 5e-324, 0.1, 3.0, 1e21, 1.7976931348623157e308)
    compares([(value, repr(value)) for value in values])


@case('every operator compares DateTime to 100 nanoseconds')
def _():
    texts = (
        '1601-01-01T00:00:00Z',
        '2021-06-08T02:05:09Z',
        '2021-06-08T02:05:09.0000001Z',
        '2021-06-08T02:05:09.0000002Z',
        '2021-06-08T02:05:09.1Z',
        '9999-12-31T23:59:59.9999999Z',
    )
    # Texts of this form, without Z, stand in the order of their times.
    ordered = [text.rstrip('Z') for text in texts]
    table = table_of(
        **{
            f'row{number}': {'value': EntityProperty(text, EdmType.DATETIME)}
            for number, text in enumerate(texts)
        }
    )
    for text in texts:
        for name, holds_between in OPERATORS.items():
            expected = [
                f'row{number}'
                for number, other in enumerate(ordered)
                if holds_between(other, text.rstrip('Z'))
            ]
            equal(rows(table, f"value {name} datetime'{text}'"), expected, f'value {name} {text}')


@case('every operator compares Guid')
def _():
    texts = (
        '00000000-0000-0000-0000-000000000000',
        '1b000000-0000-0000-0000-000000000001',
        'c9da6455-213d-42c9-9a79-3e9149a57833',
        'ffffffff-ffff-ffff-ffff-ffffffffffff',
    )
    compares([(UUID(text), f"guid'{text}'") for text in texts])


@case('every operator compares Binary, byte by byte')
def _():
    values = (b'', b'\x00', b'\x00\xff', b'\x7f', b'\x80', b'\x80\x00')
    compares([(value, f"X'{value.hex()}'") for value in values])
    compares([(value, f"binary'{value.hex().upper()}'") for value in values])


@case('values given as parameters are written as literals of their types')
def _():
    compares_as_parameters(["it's", "''", 'a & b', '100%', 'x+y', '#?/'])
    compares_as_parameters([False, True])
    compares_as_parameters([-17, 4, 70000])
    compares_as_parameters([-1.5, 0.25, 1e300])
    compares_as_parameters([datetime(2020, 2, 29, second, tzinfo=timezone.utc) for second in (1, 2)])
    compares_as_parameters([UUID(int=1 << 100), UUID(int=5 << 100)])
    compares_as_parameters([b'\x01', b'\xff\x00'])


@case('a parameter beyond Int32 is compared with Int64')
def _():
    table = table_of(
        small={'value': EntityProperty(2**40 - 1, EdmType.INT64)},
        large={'value': EntityProperty(2**40, EdmType.INT64)},
    )
    equal(rows(table, 'value ge @value', value=2**40), ['large'], 'the rows')


@case('keys are compared like any String')
def _():
    table = fresh_table()
    for partition in ('a', 'b'):
        table.submit_transaction([('create', entity(row, partition)) for row in ('1', '2', '3')])
    expected = {
        "PartitionKey eq 'b'": ['b1', 'b2', 'b3'],
        "PartitionKey eq 'a' and RowKey gt '1'": ['a2', 'a3'],
        "PartitionKey ge 'a' and RowKey eq '2'": ['a2', 'b2'],
        "RowKey ne '2'": ['a1', 'a3', 'b1', 'b3'],
        "PartitionKey lt 'b' and RowKey le '2'": ['a1', 'a2'],
        "PartitionKey eq 'c'": [],
        "(PartitionKey eq 'a' and RowKey eq '3') or (PartitionKey eq 'b' and RowKey eq '1')": ['a3', 'b1'],
    }
    for condition, keys in expected.items():
        found = table.query_entities(condition)
        equal([got['PartitionKey'] + got['RowKey'] for got in found], keys, condition)


@case('a prefix of keys is a range')
def _():
    table = table_of(**{row: {} for row in ('a', 'aa', 'ab', 'ab1', 'abz', 'abé', 'ac', 'b')})
    equal(rows(table, "RowKey ge 'ab' and RowKey lt 'ac'"), ['ab', 'ab1', 'abz', 'abé'], 'the rows')


@case('entities come ordered by PartitionKey and RowKey')
def _():
    table = fresh_table()
    keys = [('A', '2'), ('A', '10'), ('a', '1'), ('', ''), ('é', ''), ('Z', 'x'), ('A', '')]
    for partition, row in keys:
        table.create_entity(entity(row, partition))
    found = [(got['PartitionKey'], got['RowKey']) for got in table.list_entities()]
    equal(found, sorted(keys), 'the keys')


@case('and, or, not and parentheses combine as in the grammar')
def _():
    table = table_of(
        **{
            f'{a:d}{b:d}{c:d}': {'a': a, 'b': b, 'c': c}
            for a in (False, True)
            for b in (False, True)
            for c in (False, True)
        }
    )
    every = ['000', '001', '010', '011', '100', '101', '110', '111']
    expected = {
        'a eq true or b eq true and c eq true': ['011', '100', '101', '110', '111'],
        '(a eq true or b eq true) and c eq true': ['011', '101', '111'],
        'a eq true and b eq true or c eq true': ['001', '011', '101', '110', '111'],
        'not (a eq true)': ['000', '001', '010', '011'],
        'not (a eq true and b eq true)': every[:6],
        'not (a eq true or b eq true) and c eq true': ['001'],
        'not (not (a eq true))': every[4:],
        '((a eq true))': every[4:],
    }
    for condition, found in expected.items():
        equal(rows(table, condition), found, condition)


@case('a Boolean property is a condition by itself')
def _():
    table = table_of(
        yes={'flag': True, 'age': 5}, no={'flag': False, 'age': 5}, text={'flag': 'true'}, none={'age': 5}
    )
    equal(rows(table, 'flag'), ['yes'], 'flag')
    equal(rows(table, 'flag and age gt 3'), ['yes'], 'flag and age gt 3')
    holds(
        'no' in rows(table, 'not flag') and 'yes' not in rows(table, 'not flag'), 'not flag is the opposite'
    )


@case('a literal may stand on the left')
def _():
    table = table_of(**{str(n): {'value': n} for n in range(4)})
    equal(rows(table, '1 lt value'), ['2', '3'], '1 lt value')
    equal(rows(table, "'2' eq RowKey"), ['2'], "'2' eq RowKey")


@case('no comparison with a missing property holds, not even ne')
def _():
    table = table_of(has={'value': 1}, lacks={'other': 1})
    for name in OPERATORS:
        holds(
            'lacks' not in rows(table, f'value {name} 1'), f'value {name} 1 does not find what has no value'
        )
    equal(rows(table, 'value ne 2'), ['has'], 'value ne 2')
    equal(rows(table, 'not (value eq 1)'), ['lacks'], 'not (value eq 1)')


@case('an Int32 literal finds equal values of Int64 and Double')
def _():
    table = table_of(
        int32={'value': 3},
        int64={'value': EntityProperty(3, EdmType.INT64)},
        double={'value': 3.0},
        other={'value': 4.0},
        text={'value': '3'},
    )
    equal(sorted(rows(table, 'value eq 3')), ['double', 'int32', 'int64'], 'value eq 3')
    equal(sorted(rows(table, 'value eq 3L')), ['double', 'int64'], 'value eq 3L')


@case('a String never equals a number')
def _():
    table = table_of(number={'value': 123}, text={'value': '123'})
    equal(rows(table, "value eq '123'"), ['text'], "value eq '123'")
    equal(rows(table, 'value eq 123'), ['number'], 'value eq 123')
    equal(rows(table, "value ne '123'"), ['number'], "value ne '123'")


@case('numbers may be negative and have exponents')
def _():
    table = table_of(a={'value': -1.5e10}, b={'value': 2.5e-3}, c={'value': 1e22})
    equal(rows(table, 'value eq -1.5E+10'), ['a'], 'value eq -1.5E+10')
    equal(rows(table, 'value eq 2.5e-3'), ['b'], 'value eq 2.5e-3')
    equal(rows(table, 'value gt 1E20'), ['c'], 'value gt 1E20')


@case('quotes in literals are doubled')
def _():
    table = table_of(a={'name': "O'Hara"}, b={'name': "''"}, c={'name': 'OHara'})
    equal(rows(table, "name eq 'O''Hara'"), ['a'], 'one quote')
    equal(rows(table, "name eq ''''''"), ['b'], 'two quotes')


@case('words of the grammar inside literals are only text')
def _():
    texts = ["x' or '1' eq '1", 'a and b', '(not)', ' eq ', "datetime'2020'", '%27', '$filter=a&b']
    table = table_of(**{f'row{number}': {'text': text} for number, text in enumerate(texts)})
    for number, text in enumerate(texts):
        equal(rows(table, 'text eq @text', text=text), [f'row{number}'], text)


@case('entities are found by the time they were written')
def _():
    table = fresh_table()
    for row in ('first', 'second', 'third'):
        table.create_entity(entity(row))
    middle = table.get_entity('partition', 'second').metadata['timestamp'].tables_service_value
    equal(rows(table, f"Timestamp ge datetime'{middle}'"), ['second', 'third'], 'ge')
    equal(rows(table, f"Timestamp eq datetime'{middle}'"), ['second'], 'eq')
    equal(rows(table, f"Timestamp lt datetime'{middle}'"), ['first'], 'lt')
    hence = datetime.now(timezone.utc) + timedelta(hours=1)
    equal(rows(table, 'Timestamp gt @time', time=hence), [], 'gt a time to come')


@case('a filter may have fifteen comparisons, and a hundred')
def _():
    table = table_of(**{f'{n:03}': {'value': n} for n in range(100)})
    for count in (15, 100):
        condition = ' or '.join(f'value eq {n}' for n in range(count))
        equal(len(rows(table, condition)), count, f'the number of rows of {count} comparisons')


@case('a filter with a syntax error is InvalidInput')
def _():
    table = table_of(a={'value': 1})
    for condition in (
        'aaa bbb ccc',
        'value eq',
        "value eq 1'invalid'",
        "value eq 'open",
        '(value eq 1',
        "value eq guid'12'",
        "value eq datetime'2021-02-30T00:00:00Z'",
        "value eq X'0'",
        'value EQ 1',
    ):
        with fails(HttpResponseError, 400, 'InvalidInput'):
            rows(table, condition)


@case('comparing two properties or two literals is NotImplemented')
def _():
    table = table_of(a={'value': 1, 'other': 1})
    for condition in ('value eq other', '1 eq 1'):
        with fails(HttpResponseError, 501, 'NotImplemented'):
            rows(table, condition)


@case('an empty filter is none')
def _():
    table = table_of(a={}, b={})
    equal(rows(table, ''), ['a', 'b'], 'the rows')


@case('a query returns the selected properties only')
def _():
    table = table_of(a={'one': 1, 'two': EntityProperty(2, EdmType.INT64), 'three': 3.0})
    for select in ('one,two', ['one', 'two']):
        found = list(table.list_entities(select=select))
        equal(found, [{'one': 1, 'two': EntityProperty(2, EdmType.INT64)}], 'the entities')


@case('a get returns the selected properties only')
def _():
    table = table_of(a={'one': 1, 'two': 2.0})
    equal(table.get_entity('partition', 'a', select='two'), {'two': 2.0})
    equal(table.get_entity('partition', 'a', select=['RowKey', 'one']), {'RowKey': 'a', 'one': 1})


@case('the keys alone can be selected')
def _():
    table = table_of(a={'one': 1}, b={'two': 2})
    keys = ['PartitionKey', 'RowKey']
    equal(list(table.list_entities(select=keys)), [entity('a'), entity('b')], 'the entities')


@case('a selected property that an entity lacks is None')
def _():
    table = table_of(a={'one': 1}, b={'two': 2})
    found = list(table.list_entities(select=['RowKey', 'one']))
    equal(found, [{'RowKey': 'a', 'one': 1}, {'RowKey': 'b', 'one': None}], 'the entities')
    equal(table.get_entity('partition', 'b', select='missing'), {'missing': None})


@case('what is selected has its ETag, and its Timestamp if that is selected')
def _():
    table = table_of(a={'one': 1})
    whole = table.get_entity('partition', 'a').metadata
    (found,) = table.list_entities(select='one')
    equal(found.metadata, {'etag': whole['etag'], 'timestamp': None}, 'the metadata')
    (found,) = table.list_entities(select=['one', 'Timestamp'])
    equal(found.metadata, whole, 'the metadata')


@case('a filter may test what is not selected')
def _():
    table = table_of(a={'one': 1, 'two': 2}, b={'one': 3, 'two': 4})
    equal(list(table.query_entities('two eq 4', select='one')), [{'one': 3}], 'the entities')
