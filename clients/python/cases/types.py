"""Types: what is written is what is read, of the same type."""

import math
from datetime import datetime, timedelta, timezone
from enum import Enum
from uuid import UUID

from azure.data.tables import EdmType, EntityProperty, UpdateMode

from account import entity, fresh_table
from expect import answer_to, equal, holds
from runner import case

NO_METADATA = 'application/json;odata=nometadata'
FULL_METADATA = 'application/json;odata=fullmetadata'


def stored(**properties):
    """The properties as they come back, from a get and from a query, which must agree."""
    table = fresh_table()
    table.create_entity(entity(**properties))
    got = table.get_entity('partition', 'row')
    # As texts, since NaN equals nothing.
    equal(repr(list(table.list_entities())), repr([got]), 'the entity in a query')
    return {name: value for name, value in got.items() if name not in ('PartitionKey', 'RowKey')}


def round_trips(**properties):
    got = stored(**properties)
    equal(got, properties, 'what was read')
    for name, value in properties.items():
        # True == 1 == 1.0 here, so equality alone says nothing of types.
        holds(isinstance(got[name], type(value)), f'{name} is a {type(value).__name__}')
        equal(isinstance(got[name], bool), isinstance(value, bool), f'{name} being a bool')


@case('strings come back: empty, with controls, quotes, unicode and supplementary characters')
def _():
    round_trips(
        empty='',
        spaces='  both ends  ',
        controls='tab\t line\n return\r null\0 bell\a delete\x7f',
        quotes='it\'s "quoted" \\ back / slash',
        unicode='Größe, 日本語, \u2028\u2029\ufeff',
        supplementary='😀𝒳',
        markup='<a href="x">&amp;</a>',
        json='{"odata.error":{"code":"none"}}',
    )


@case('strings that look like other types stay strings')
def _():
    round_trips(
        number='12',
        boolean='true',
        nothing='null',
        infinity='Infinity',
        nan='NaN',
        time='2020-01-01T00:00:00Z',
    )


@case('booleans come back')
def _():
    round_trips(yes=True, no=False)


@case('Int32 comes back at its ends')
def _():
    round_trips(low=-(2**31), high=2**31 - 1, zero=0, minus=-1)


@case('Int32 that is annotated in the request comes back as a plain number')
def _():
    equal(stored(value=EntityProperty(12345, EdmType.INT32)), {'value': 12345})


@case('Int64 comes back as Int64, at its ends and when it would fit into Int32')
def _():
    values = {
        'low': EntityProperty(-(2**63), EdmType.INT64),
        'high': EntityProperty(2**63 - 1, EdmType.INT64),
        'beyond_double': EntityProperty(2**53 + 1, EdmType.INT64),
        'small': EntityProperty(5, EdmType.INT64),
    }
    equal(stored(**values), values)


@case('a Double that is a whole number stays a Double')
def _():
    round_trips(three=3.0, zero=0.0, minus=-17.0, million=1e6, large=1e22)


@case('Doubles keep every digit and reach their ends')
def _():
    round_trips(
        tenth=0.1,
        pi=math.pi,
        largest=1.7976931348623157e308,
        smallest=5e-324,
        smallest_normal=2.2250738585072014e-308,
        minus=-1.2345678901234567e-7,
    )


@case('NaN and both infinities come back')
def _():
    got = stored(nan=math.nan, plus=math.inf, minus=-math.inf)
    holds(math.isnan(got['nan']), 'NaN is NaN')
    equal((got['plus'], got['minus']), (math.inf, -math.inf))


@case('minus zero keeps its sign')
def _():
    value = stored(value=-0.0)['value']
    equal((value, math.copysign(1, value)), (0.0, -1.0))


@case('DateTime without a fraction comes back without one')
def _():
    table = fresh_table()
    table.create_entity(entity(time=datetime(1973, 10, 4, tzinfo=timezone.utc)))
    got = table.get_entity('partition', 'row')['time']
    equal(got, datetime(1973, 10, 4, tzinfo=timezone.utc))
    equal(got.tables_service_value, '1973-10-04T00:00:00Z', 'the text')


@case('DateTime keeps seven digits of its fraction, without zeros at its end')
def _():
    texts = {
        'seven': '2012-11-10T03:04:05.1234567Z',
        'six': '2012-11-10T03:04:05.123456Z',
        'one': '2012-11-10T03:04:05.2Z',
        'last': '2012-11-10T03:04:05.0000001Z',
    }
    got = stored(**{name: EntityProperty(text, EdmType.DATETIME) for name, text in texts.items()})
    equal({name: value.tables_service_value for name, value in got.items()}, texts)
    got = stored(padded=EntityProperty('2012-11-10T03:04:05.2000000Z', EdmType.DATETIME))
    equal(got['padded'].tables_service_value, texts['one'])


@case('a DateTime that was read and is written again loses nothing')
def _():
    table = fresh_table()
    text = '2021-06-08T02:05:09.7654321Z'
    table.create_entity(entity(time=EntityProperty(text, EdmType.DATETIME)))
    got = table.get_entity('partition', 'row')
    table.update_entity(got, UpdateMode.REPLACE)
    equal(table.get_entity('partition', 'row')['time'].tables_service_value, text)


@case('DateTime with an offset is the same instant')
def _():
    instant = datetime(2020, 1, 2, 1, 4, 5, tzinfo=timezone.utc)
    equal(
        stored(
            python=instant.astimezone(timezone(timedelta(hours=5, minutes=30))),
            text=EntityProperty('2020-01-02T03:04:05+02:00', EdmType.DATETIME),
        ),
        {'python': instant, 'text': instant},
    )


@case('DateTime comes back at both ends of its range')
def _():
    got = stored(
        first=EntityProperty('1601-01-01T00:00:00Z', EdmType.DATETIME),
        last=EntityProperty('9999-12-31T23:59:59.9999999Z', EdmType.DATETIME),
    )
    equal(got['first'].tables_service_value, '1601-01-01T00:00:00Z')
    equal(got['last'].tables_service_value, '9999-12-31T23:59:59.9999999Z')


@case('Guid comes back, in lower case however it was written')
def _():
    value = UUID('c9da6455-213d-42c9-9a79-3e9149a57833')
    equal(
        stored(guid=value, upper=EntityProperty(str(value).upper(), EdmType.GUID)),
        {'guid': value, 'upper': value},
    )


@case('Binary comes back: all bytes, nothing, and 64 KiB')
def _():
    round_trips(all=bytes(range(256)), none=b'', largest=bytes(range(256)) * 256)


@case('a property that is None is not stored')
def _():
    got = stored(kept=1, dropped=None, typed=EntityProperty(None, EdmType.INT64))
    equal(got, {'kept': 1})


@case('an enumeration is stored as its text')
def _():
    colour = Enum('Colour', {'RED': 'red'})
    equal(stored(colour=colour.RED), {'colour': 'Colour.RED'})


@case('all types come back together')
def _():
    round_trips(
        text='text',
        flag=True,
        count=1,
        ratio=1.5,
        time=datetime(2020, 2, 29, 12, 30, 15, 123456, tzinfo=timezone.utc),
        guid=UUID(int=1),
        data=b'\x00\xff',
    )


@case('properties come back in the order they were written')
def _():
    names = ['zeta', 'alpha', 'Mid', '_under', 'beta']
    got = stored(**{name: index for index, name in enumerate(names)})
    equal(list(got), names, 'the order')


@case('names that differ only in case are different properties')
def _():
    round_trips(age=1, Age=2, AGE=3)


@case('names of properties may have letters of any language')
def _():
    round_trips(**{'größe': 1, '名前': 2, 'имя': 3, '_private': 4, 'with_digits_123': 5})


@case('a Timestamp that the client sends is ignored')
def _():
    table = fresh_table()
    past = datetime(2000, 1, 1, tzinfo=timezone.utc)
    table.create_entity(entity(Timestamp=past))
    written = table.get_entity('partition', 'row').metadata['timestamp']
    holds(written > past + timedelta(days=365), 'the Timestamp is not the one that was sent')


@case('full metadata names the type and the addresses of an entity')
def _():
    table = fresh_table()
    table.create_entity(entity("it's", 'a b'))
    metadata = table.get_entity('a b', "it's", format=FULL_METADATA).metadata
    link = f"{table.table_name}(PartitionKey='a%20b',RowKey='it''s')"
    equal(metadata['type'], f'{table.account_name}.{table.table_name}', 'odata.type')
    equal(metadata['editLink'], link, 'odata.editLink')
    equal(metadata['id'], f'{table.url}/{link}', 'odata.id')


@case('without metadata the types are gone and the ETag made of the Timestamp still holds')
def _():
    table = fresh_table()
    created = table.create_entity(entity(large=EntityProperty(2**40, EdmType.INT64)))
    answer = answer_to(table.get_entity, 'partition', 'row', format=NO_METADATA)
    equal(sorted(answer.json()), ['PartitionKey', 'RowKey', 'Timestamp', 'large'], 'the members')
    got = table.get_entity('partition', 'row', format=NO_METADATA)
    equal(got['large'], str(2**40))
    equal(got.metadata['etag'], created['etag'], 'the ETag')
