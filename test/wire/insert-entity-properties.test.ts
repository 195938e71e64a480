import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, entityPath, unreadable, useTable, useWire } from '../support/wire.ts';

const valueTooLarge =
  'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.';

describe('Properties of Insert Entity on the wire', () => {
  const wire = useWire();
  let rows = 0;
  const { table, post } = useTable(wire);
  /** Posts the members, given as JSON, of an entity with fresh keys. */
  const postMembers = (members: string): Promise<RawResponse> => {
    rows++;
    return post(`{"PartitionKey":"p","RowKey":"${rows}"${members === '' ? '' : `,${members}`}}`);
  };
  /** What a read answers for the members, as text, behind the Timestamp. */
  const roundTrip = async (members: string, level = 'minimalmetadata'): Promise<string> => {
    const inserted = await postMembers(members);
    assert.equal(inserted.status, 201, inserted.body);
    const path = entityPath(await table(), 'p', String(rows));
    const read = await wire.send({ path, headers: { Accept: `application/json;odata=${level}` } });
    assert.equal(read.status, 200);
    return read.body.replace(/^.*?"Timestamp":"[^"]*",?/, '').replace(/\}$/, '');
  };

  describe('properties', () => {
    it('have names that are identifiers', async () => {
      for (const name of ['_', 'a1', 'größe', '名前', 'Ελλάδα']) {
        assert.equal(await roundTrip(`"${name}":1`), `"${name}":1`);
      }
      for (const name of [
        '123',
        '1a',
        'a-b',
        'a b',
        '',
        'a.b',
        'a@b',
        'a$',
        'a\ue000',
        'a\\u0000',
        'a\\"',
        '\\\\',
      ]) {
        assertRefused(
          await postMembers(`"${name}":1`),
          400,
          'PropertyNameInvalid',
          'The property name is invalid.',
        );
      }
    });

    it('hold strings of 32,768 units', async () => {
      for (const character of ['x', '日', '\u0001']) {
        const value = character.repeat(32_768);
        assert.equal((await post({ PartitionKey: 'large', RowKey: `s${++rows}`, value })).status, 201);
        assertRefused(
          await post({ PartitionKey: 'large', RowKey: 'too', value: `${value}x` }),
          400,
          'PropertyValueTooLarge',
          valueTooLarge,
        );
      }
      const pairs = '\u{1f600}'.repeat(16_384);
      assert.equal((await post({ PartitionKey: 'large', RowKey: 'pairs', pairs })).status, 201);
      assertRefused(
        await post({ PartitionKey: 'large', RowKey: 'too', pairs: `${pairs}x` }),
        400,
        'PropertyValueTooLarge',
      );
    });
  });

  describe('values', () => {
    it('may have their type before or after them, and where it need not be', async () => {
      assert.equal(
        await roundTrip(
          '"a":"1","a@odata.type":"Edm.Int64","b@odata.type":"Edm.Int32","b":2,"c@odata.type":"Edm.String","c":"x","d@odata.type":"Edm.Boolean","d":true,"e@odata.type":"Edm.Double","e":1',
        ),
        '"a@odata.type":"Edm.Int64","a":"1","b":2,"c":"x","d":true,"e":1.0',
      );
    });

    /** [what is sent, what comes back]; null where it is refused. */
    const values: readonly [string, string | null][] = [
      ['3', '3'],
      ['3.0', '3.0'],
      ['-0', '0'],
      ['-0.0', '-0.0'],
      ['1e3', '1000.0'],
      ['1.0E+2', '100.0'],
      ['1.23456789012346E+24', '1.23456789012346E+24'],
      ['5e-324', '5E-324'],
      ['0.1', '0.1'],
      ['2147483647', '2147483647'],
      ['-2147483648', '-2147483648'],
      ['2147483648', '2147483648.0'],
      ['-2147483649', '-2147483649.0'],
      ['1732100000000', '1732100000000.0'],
      ['1e999', null],
      ['01', null],
      ['+1', null],
      ['.5', null],
      ['1.', null],
      ['NaN', null],
      ['Infinity', null],
      ['True', null],
      ['"Infinity"', '"Infinity"'],
      ['"NaN"', '"NaN"'],
      ['{}', null],
      ['[]', null],
      ['{"a":1}', null],
      ['"\\u00e9\\n\\"\\\\\\/"', '"é\\n\\"\\\\/"'],
      ['"\\ud83d\\ude00"', '"😀"'],
      ['"\\ud800"', '"\\ud800"'],
      ['"\\u0000"', '"\\u0000"'],
      ['"a\\x"', null],
      ['"a\nb"', null],
      ['""', '""'],
    ];
    for (const [sent, returned] of values) {
      it(`${returned === null ? 'may not be' : 'may be'} an untyped ${JSON.stringify(sent)}`, async () => {
        if (returned === null)
          assertRefused(await postMembers(`"v":${sent}`), 400, 'InvalidInput', unreadable);
        else assert.equal(await roundTrip(`"v":${sent}`), `"v":${returned}`);
      });
    }

    const typed: readonly [type: string, sent: string, returned: string | null][] = [
      ['Int32', '"12345"', '12345'],
      ['Int32', '12345', '12345'],
      ['Int32', '"2147483648"', null],
      ['Int32', '1.5', null],
      ['Int32', 'true', null],
      ['Int32', '"x"', null],
      ['Int64', '"-9223372036854775808"', '"-9223372036854775808"'],
      ['Int64', '"9223372036854775808"', null],
      ['Int64', '"-9223372036854775809"', null],
      ['Int64', '"99999999999999999999999999"', null],
      ['Int64', '123', '"123"'],
      ['Int64', '9007199254740993', '"9007199254740993"'],
      ['Int64', '"1.5"', null],
      ['Int64', '""', null],
      ['Int64', '" 1"', null],
      ['Int64', 'false', null],
      ['Double', '3', '3.0'],
      ['Double', '"3"', '3.0'],
      ['Double', '"-1.5E3"', '-1500.0'],
      ['Double', '"NaN"', '"NaN"'],
      ['Double', '"Infinity"', '"Infinity"'],
      ['Double', '"-Infinity"', '"-Infinity"'],
      ['Double', '"nan"', null],
      ['Double', '"1e999"', null],
      ['Double', '"1,5"', null],
      ['Double', 'true', null],
      ['Boolean', 'true', 'true'],
      ['Boolean', '"False"', 'false'],
      ['Boolean', '"true"', 'true'],
      ['Boolean', '"yes"', null],
      ['Boolean', '1', null],
      ['DateTime', '"1973-10-04T00:00:00.0000000Z"', '"1973-10-04T00:00:00Z"'],
      ['DateTime', '"2012-11-10T03:04:05.2000000Z"', '"2012-11-10T03:04:05.2Z"'],
      ['DateTime', '"2012-11-10T03:04:05.1234567Z"', '"2012-11-10T03:04:05.1234567Z"'],
      ['DateTime', '"2012-11-10T03:04:05+02:00"', '"2012-11-10T01:04:05Z"'],
      ['DateTime', '"2012-11-10T03:04:05"', '"2012-11-10T03:04:05Z"'],
      ['DateTime', '"1601-01-01T00:00:00Z"', '"1601-01-01T00:00:00Z"'],
      ['DateTime', '"9999-12-31T23:59:59.9999999Z"', '"9999-12-31T23:59:59.9999999Z"'],
      ['DateTime', '"2012-02-30T00:00:00Z"', null],
      ['DateTime', '"yesterday"', null],
      ['DateTime', '20120101', null],
      ['DateTime', '""', null],
      ['Guid', '"C9DA6455-213D-42C9-9A79-3E9149A57833"', '"c9da6455-213d-42c9-9a79-3e9149a57833"'],
      ['Guid', '"c9da6455213d42c99a793e9149a57833"', null],
      ['Guid', '"c9da6455-213d-42c9-9a79-3e9149a5783"', null],
      ['Guid', '"c9da6455-213d-42c9-9a79-3e9149a5783g"', null],
      ['Binary', '""', '""'],
      ['Binary', '"AA=="', '"AA=="'],
      ['Binary', '"AA"', null],
      ['Binary', '"A==="', null],
      ['Binary', '"AA-_"', null],
      ['Binary', '"not base 64"', null],
      ['Binary', '123', null],
      ['String', '"text"', '"text"'],
      ['String', '1', null],
      ['String', 'true', null],
      ['Decimal', '"1.5"', null],
      ['Single', '1.5', null],
      ['Byte', '1', null],
      ['int64', '"1"', null],
    ];
    for (const [type, sent, returned] of typed) {
      it(`${returned === null ? 'may not be' : 'may be'} ${sent} as Edm.${type}`, async () => {
        const members = `"v":${sent},"v@odata.type":"Edm.${type}"`;
        if (returned === null) {
          assertRefused(await postMembers(members), 400, 'InvalidInput', unreadable);
          return;
        }
        const isAnnotated =
          ['Int64', 'DateTime', 'Guid', 'Binary'].includes(type) ||
          (type === 'Double' && returned.startsWith('"'));
        assert.equal(
          await roundTrip(members),
          `${isAnnotated ? `"v@odata.type":"Edm.${type}",` : ''}"v":${returned}`,
        );
      });
    }
  });
});
