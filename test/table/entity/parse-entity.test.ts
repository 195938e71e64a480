import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseEntity } from '../../../src/table/entity/parse-entity.ts';
import { formatProperties } from '../../../src/table/entity/row.ts';
import { anyValue, propertyName, propertyOf } from '../../support/arbitraries.ts';

function parse(json: string) {
  return parseEntity(Buffer.from(json));
}

const unreadable = { code: 'InvalidInput', message: 'An error occurred while processing this request.' };

describe('the body of an entity', () => {
  it('has keys and properties, in the order of the request', () => {
    assert.deepEqual(parse('{"z":1,"PartitionKey":"p","a":"x","RowKey":"r","m":1.5}'), {
      partitionKey: 'p',
      rowKey: 'r',
      properties: [
        { name: 'z', type: 'Edm.Int32', json: '1' },
        { name: 'a', type: 'Edm.String', json: '"x"' },
        { name: 'm', type: 'Edm.Double', json: '1.5' },
      ],
      text: ',"z":1,"a":"x","m":1.5',
    });
  });

  it('may have the type of a property before it, after it, or far from it', () => {
    for (const json of [
      '{"age@odata.type":"Edm.Int64","age":"39"}',
      '{"age":"39","age@odata.type":"Edm.Int64"}',
      '{"age":"39","name":"x","age@odata.type":"Edm.Int64"}',
    ]) {
      assert.deepEqual(parse(json).properties[0], { name: 'age', type: 'Edm.Int64', json: '"39"' }, json);
    }
  });

  it('has no property for null, typed or not, whatever the type', () => {
    assert.deepEqual(parse('{"a":null,"b@odata.type":"Edm.Int64","b":null}').properties, []);
  });

  it('has the text of its properties as a row has it, however the client writes them', () => {
    const writing = fc.record({
      name: propertyName,
      value: anyValue,
      order: fc.constantFrom('type first', 'type last', 'type far', 'no type'),
      space: fc.constantFrom('', '', ' ', '\n'),
      isEscaped: fc.boolean(),
      between: fc.constantFrom(
        '',
        '',
        '"PartitionKey":"p"',
        '"Timestamp":"x"',
        '"gone":null',
        '"odata.etag":"x"',
      ),
    });
    const anyBody = fc.uniqueArray(writing, { selector: ({ name }) => name, maxLength: 8 }).map(writings => {
      const far: string[] = [];
      const members = writings.flatMap(({ name, value, order, space, isEscaped, between }) => {
        const { type, json } = propertyOf(name, value);
        const escaped = isEscaped
          ? `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`
          : name;
        const member = `"${escaped}"${space}:${space}${json}${space}`;
        const annotation = `"${name}@odata.type":"${type}"`;
        if (order === 'type far') far.push(annotation);
        const pair = { 'type first': [annotation, member], 'type last': [member, annotation] };
        return [...(order in pair ? pair[order as keyof typeof pair] : [member]), between];
      });
      const unique = [...new Set([...members, ...far])].filter(member => member !== '');
      return `{${unique.join(',')}}`;
    });
    fc.assert(
      fc.property(anyBody, body => {
        const { properties, text } = parse(body);
        assert.equal(text, formatProperties(properties));
      }),
    );
  });

  it('does not show Timestamp or annotations, whatever they hold', () => {
    const json =
      '{"odata.metadata":"x","odata.etag":"W/\\"x\\"","odata.type":"a.t","odata.id":"x","odata.editLink":"x","Timestamp":"0001-01-01T00:00:00Z","Timestamp@odata.type":"Edm.DateTime","a@odata.type":"Edm.String"}';
    assert.deepEqual(parse(json), {
      partitionKey: undefined,
      rowKey: undefined,
      properties: [],
      text: '',
    });
  });

  it('has names that differ in case as different properties', () => {
    assert.deepEqual(
      parse('{"age":1,"Age":2,"timestamp":3,"partitionkey":4}').properties.map(({ name }) => name),
      ['age', 'Age', 'timestamp', 'partitionkey'],
    );
  });

  it('may name a property like a member that every JavaScript object has', () => {
    assert.deepEqual(
      parse('{"__proto__":1,"constructor":2,"toString@odata.type":"Edm.Int64","toString":"3"}').properties,
      [
        { name: '__proto__', type: 'Edm.Int32', json: '1' },
        { name: 'constructor', type: 'Edm.Int32', json: '2' },
        { name: 'toString', type: 'Edm.Int64', json: '"3"' },
      ],
    );
  });

  it('may be empty, which is an entity without properties', () => {
    assert.deepEqual(parse(''), {
      partitionKey: undefined,
      rowKey: undefined,
      properties: [],
      text: '',
    });
    assert.deepEqual(parse('{}'), {
      partitionKey: undefined,
      rowKey: undefined,
      properties: [],
      text: '',
    });
  });

  it('may begin with a byte order mark', () => {
    assert.deepEqual(parse('\ufeff{"a":1}').properties.length, 1);
  });

  it('may have its keys typed as strings, and empty', () => {
    assert.deepEqual(parse('{"PartitionKey@odata.type":"Edm.String","PartitionKey":"","RowKey":""}'), {
      partitionKey: '',
      rowKey: '',
      properties: [],
      text: '',
    });
  });

  it('is refused with InvalidInput for a key that is not a string', () => {
    for (const json of [
      '{"PartitionKey":1}',
      '{"RowKey":true}',
      '{"PartitionKey@odata.type":"Edm.Int32","PartitionKey":"1"}',
      '{"RowKey":"x","RowKey@odata.type":"Edm.Guid"}',
    ]) {
      assert.throws(
        () => parse(json),
        { code: 'InvalidInput', message: 'One of the request inputs is not valid.' },
        json,
      );
    }
  });

  it('is refused with PropertiesNeedValue for a key that is null', () => {
    assert.throws(() => parse('{"PartitionKey":null}'), { code: 'PropertiesNeedValue' });
  });

  it('is refused with DuplicatePropertiesSpecified for a name given twice', () => {
    for (const json of [
      '{"a":1,"a":1}',
      '{"a":null,"a":1}',
      '{"PartitionKey":"p","PartitionKey":"p"}',
      '{"a":1,"a@odata.type":"Edm.Int32","a@odata.type":"Edm.Int64"}',
      '{"a":1,"\\u0061":2}',
    ]) {
      assert.throws(() => parse(json), { code: 'DuplicatePropertiesSpecified' }, json);
    }
  });

  it('is refused with InvalidInput for a value that does not parse under its type', () => {
    for (const json of [
      '{"a@odata.type":"Edm.Int64","a":"9223372036854775808"}',
      '{"a@odata.type":"Edm.Guid","a":"x"}',
      '{"a@odata.type":"Edm.DateTime","a":"x"}',
      '{"a@odata.type":"Edm.Binary","a":"x"}',
      '{"a@odata.type":"Edm.Decimal","a":"1"}',
      '{"a@odata.type":"edm.int64","a":"1"}',
      '{"a@odata.type":"Int64","a":"1"}',
      '{"a@odata.type":5,"a":"1"}',
      '{"a@odata.type":"Edm.Int32","a":2147483648}',
    ]) {
      assert.throws(() => parse(json), unreadable, json);
    }
  });

  it('is refused with InvalidInput where it is not JSON of plain members, or not UTF-8', () => {
    for (const json of ['x', '[]', '{"a":[]}', '{"a":{}}', '{"a":1', 'null']) {
      assert.throws(() => parse(json), unreadable, json);
    }
    assert.throws(() => parseEntity(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), unreadable);
  });
});
