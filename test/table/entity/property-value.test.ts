import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EdmType, formatDouble, isAnnotated } from '../../../src/table/entity/edm.ts';
import { type JsonMember, parseMembers } from '../../../src/table/entity/json-members.ts';
import { inferType, readValue } from '../../../src/table/entity/property-value.ts';
import { typeOfPlain } from '../../../src/table/entity/row.ts';

function memberOf(json: string): JsonMember {
  const [member] = parseMembers(`{"name":${json}}`) ?? [];
  assert.ok(member, json);
  return member;
}

const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';

describe('a value under its type', () => {
  const accepted: Record<EdmType, readonly (readonly [json: string, canonical: string])[]> = {
    'Edm.String': [
      ['""', '""'],
      ['"Infinity"', '"Infinity"'],
      ['"\\u0041\\/"', '"A/"'],
      ['"é😀"', '"é😀"'],
      ['"\\ud800"', '"\\ud800"'],
    ],
    'Edm.Boolean': [
      ['true', 'true'],
      ['false', 'false'],
      ['"true"', 'true'],
      ['"True"', 'true'],
      ['"False"', 'false'],
    ],
    'Edm.Int32': [
      ['0', '0'],
      ['-0', '0'],
      ['"12345"', '12345'],
      ['"007"', '7'],
      ['2147483647', '2147483647'],
      ['-2147483648', '-2147483648'],
    ],
    'Edm.Int64': [
      ['"0"', '"0"'],
      ['"-0"', '"0"'],
      ['5', '"5"'],
      ['"0005"', '"5"'],
      ['"9223372036854775807"', '"9223372036854775807"'],
      ['"-9223372036854775808"', '"-9223372036854775808"'],
      ['9007199254740993', '"9007199254740993"'],
    ],
    'Edm.Double': [
      ['3', '3.0'],
      ['3.0', '3.0'],
      ['"3"', '3.0'],
      ['1.5e3', '1500.0'],
      ['1.23456789012346E+24', '1.23456789012346E+24'],
      ['"1e-7"', '1E-7'],
      ['-0.0', '-0.0'],
      ['"NaN"', '"NaN"'],
      ['"Infinity"', '"Infinity"'],
      ['"-Infinity"', '"-Infinity"'],
      ['5e-324', '5E-324'],
      ['1.7976931348623157e308', '1.7976931348623157E+308'],
    ],
    'Edm.DateTime': [
      ['"1973-10-04T00:00:00Z"', '"1973-10-04T00:00:00Z"'],
      ['"2012-11-10T03:04:05.2000000Z"', '"2012-11-10T03:04:05.2Z"'],
      ['"2012-11-10T03:04:05.1234567"', '"2012-11-10T03:04:05.1234567Z"'],
      ['"2012-11-10T03:04:05+01:00"', '"2012-11-10T02:04:05Z"'],
    ],
    'Edm.Guid': [
      [`"${guid}"`, `"${guid}"`],
      [`"${guid.toUpperCase()}"`, `"${guid}"`],
    ],
    'Edm.Binary': [
      ['""', '""'],
      ['"AA=="', '"AA=="'],
      ['"+/8="', '"+/8="'],
      ['"AAEC"', '"AAEC"'],
    ],
  };
  const refused: Record<EdmType, readonly string[]> = {
    'Edm.String': ['1', 'true', '1.5'],
    'Edm.Boolean': ['1', '0', '"yes"', '""', '" true"'],
    'Edm.Int32': [
      '2147483648',
      '-2147483649',
      '1.0',
      '1e3',
      '"1.5"',
      '""',
      '"abc"',
      '" 1"',
      'true',
      '"0x10"',
    ],
    'Edm.Int64': [
      '"9223372036854775808"',
      '"-9223372036854775809"',
      '"1.0"',
      '1e3',
      '""',
      '"1L"',
      '" 1"',
      'true',
      `"${'9'.repeat(1000)}"`,
    ],
    'Edm.Double': ['"abc"', '""', '" 1"', '"nan"', '"+Infinity"', '"INF"', '1e400', '"0x10"', 'true', '"1d"'],
    'Edm.DateTime': [
      '""',
      '"yesterday"',
      '"2023-02-29T00:00:00Z"',
      '1',
      '"2023-01-01T00:00:00.1234567890Z"',
      'true',
    ],
    'Edm.Guid': [
      '""',
      `"{${guid}}"`,
      `"${guid.replaceAll('-', '')}"`,
      `"${guid}0"`,
      '1',
      '"g9da6455-213d-42c9-9a79-3e9149a57833"',
    ],
    'Edm.Binary': ['"A"', '"AA"', '"AA="', '"AB=="', '"A-_="', '"AA==AA=="', '"A A="', '1', '"!!!!"', 'true'],
  };
  for (const type of Object.keys(accepted) as EdmType[]) {
    it(`is read as ${type} in all forms that clients send`, () => {
      for (const [json, canonical] of accepted[type]) {
        assert.equal(readValue(type, memberOf(json)), canonical, json);
      }
    });

    it(`is not read as ${type} where it is none`, () => {
      for (const json of refused[type]) assert.equal(readValue(type, memberOf(json)), undefined, json);
    });
  }
});

describe('the type of an untyped value', () => {
  it('is decided by how it is written', () => {
    for (const [json, type] of [
      ['"1"', 'Edm.String'],
      ['"Infinity"', 'Edm.String'],
      ['true', 'Edm.Boolean'],
      ['3', 'Edm.Int32'],
      ['3.0', 'Edm.Double'],
      ['3e0', 'Edm.Double'],
      ['-3E1', 'Edm.Double'],
    ] as const) {
      assert.equal(inferType(memberOf(json)), type, json);
    }
  });

  it('is a Double where the number is too large for an Int32', () => {
    for (const text of ['2147483648', '-2147483649']) {
      assert.equal(inferType(memberOf(text)), 'Edm.Double');
      assert.equal(readValue('Edm.Double', memberOf(text)), `${text}.0`);
      assert.equal(readValue('Edm.Int32', memberOf(text)), undefined);
    }
  });
});

describe('a Double', () => {
  it('is exact, and shows that it is no Int32', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer()), value => {
        const json = formatDouble(value);
        assert.ok(Object.is(Number(JSON.parse(json)), value), json);
        if (isAnnotated('Edm.Double', json)) assert.ok(!Number.isFinite(value));
        else assert.equal(typeOfPlain(json), 'Edm.Double');
      }),
      { numRuns: 1000 },
    );
  });

  it('is NaN or an infinity as a text with an annotation', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      assert.equal(formatDouble(value), `"${value}"`);
      assert.equal(isAnnotated('Edm.Double', formatDouble(value)), true);
    }
    assert.equal(isAnnotated('Edm.Double', '1.0'), false);
  });
});
