import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RawResponse } from '../support/raw-client.ts';
import { useWire } from '../support/wire.ts';
import { assertError, assertXmlAnswer, refusals } from './answers.ts';
import { conforms } from './conforms.ts';

const xmlOpening = '<?xml version="1.0" encoding="utf-8"?>';
const empty = '<SignedIdentifiers />';
const invalidDocument = {
  status: '400 Bad Request',
  code: 'InvalidXmlDocument',
  message: 'XML specified is not syntactically valid.',
  shape: 'prefixed xml',
} as const;

function identifiers(...policies: readonly string[]): string {
  return `<SignedIdentifiers>${policies.map(policy => `<SignedIdentifier>${policy}</SignedIdentifier>`).join('')}</SignedIdentifiers>`;
}

describe('Stored access policies', () => {
  const wire = useWire();
  const set = (table: string, body: string): Promise<RawResponse> =>
    wire.send({
      method: 'PUT',
      path: `/${table}?comp=acl`,
      headers: { 'Content-Type': 'application/xml' },
      body,
    });
  const get = (table: string): Promise<RawResponse> =>
    wire.send({ path: `/${table}?comp=acl`, headers: { Accept: 'application/xml' } });
  const assertSet = async (table: string, body: string): Promise<void> =>
    assertXmlAnswer(wire, await set(table, body), { status: '204 No Content' });
  const assertPolicies = async (table: string, shown: string): Promise<void> =>
    assertXmlAnswer(wire, await get(table), { status: '200 OK', body: `\ufeff${xmlOpening}${shown}` });
  const assertRefused = async (table: string, body: string, shown: string): Promise<void> => {
    await assertError(wire, await set(table, body), invalidDocument);
    await assertPolicies(table, shown);
  };

  conforms(77, async () => {
    const table = await wire.createTable();
    await assertPolicies(table, empty);
    const sent = [
      '<Id>testid</Id><AccessPolicy><Start>2021-06-08T02:05:09Z</Start><Expiry>2021-06-08T03:10:09Z</Expiry><Permission>r</Permission></AccessPolicy>',
      '<AccessPolicy><Permission>raud</Permission><Expiry>2021-06-08T03:10:09.1234567Z</Expiry><Start>2021-06-08T02:05Z</Start></AccessPolicy><Id>a &lt;b&gt; &amp; ü</Id>',
      '<Id>MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY=</Id><AccessPolicy><Expiry>2030-01-01</Expiry><Start>2021-06-08T02:05:09.5Z</Start><Permission>au</Permission></AccessPolicy>',
    ];
    await assertSet(table, `${xmlOpening}\n${identifiers(...sent)}`);
    const shown = identifiers(
      '<Id>testid</Id><AccessPolicy><Start>2021-06-08T02:05:09.0000000Z</Start><Expiry>2021-06-08T03:10:09.0000000Z</Expiry><Permission>r</Permission></AccessPolicy>',
      '<Id>a &lt;b&gt; &amp; ü</Id><AccessPolicy><Start>2021-06-08T02:05:00.0000000Z</Start><Expiry>2021-06-08T03:10:09.1234567Z</Expiry><Permission>raud</Permission></AccessPolicy>',
      '<Id>MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY=</Id><AccessPolicy><Start>2021-06-08T02:05:09.5000000Z</Start><Expiry>2030-01-01T00:00:00.0000000Z</Expiry><Permission>au</Permission></AccessPolicy>',
    );
    await assertPolicies(table, shown);
    await assertPolicies(table.toUpperCase(), shown);
    await assertPolicies(await wire.createTable(), empty);
    const other = identifiers('<Id>other</Id><AccessPolicy><Permission>d</Permission></AccessPolicy>');
    await assertSet(table, `\ufeff${xmlOpening}${other}`);
    await assertPolicies(table, other);
  });

  conforms(78, async () => {
    const table = await wire.createTable();
    const sent = [
      '<Id>none</Id>',
      '<Id>empty</Id><AccessPolicy />',
      '<Id>open</Id><AccessPolicy></AccessPolicy>',
      '<Id>blank</Id><AccessPolicy><Start /><Expiry></Expiry><Permission /></AccessPolicy>',
      '<Id>part</Id><AccessPolicy><Expiry>2030-01-01T00:00:00Z</Expiry></AccessPolicy>',
    ];
    await assertSet(table, identifiers(...sent));
    await assertPolicies(
      table,
      identifiers(
        '<Id>none</Id>',
        '<Id>empty</Id>',
        '<Id>open</Id>',
        '<Id>blank</Id>',
        '<Id>part</Id><AccessPolicy><Expiry>2030-01-01T00:00:00.0000000Z</Expiry></AccessPolicy>',
      ),
    );
  });

  conforms(79, async () => {
    const table = await wire.createTable();
    for (const body of ['', empty, '<SignedIdentifiers></SignedIdentifiers>', `${xmlOpening}${empty}`]) {
      await assertSet(table, identifiers('<Id>1</Id>'));
      await assertPolicies(table, identifiers('<Id>1</Id>'));
      await assertSet(table, body);
      await assertPolicies(table, empty);
    }
  });

  conforms(80, async () => {
    const table = await wire.createTable();
    const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `<Id>${index}</Id>`);
    const five = identifiers(...ids(5));
    await assertSet(table, five);
    await assertPolicies(table, five);
    await assertRefused(table, identifiers(...ids(6)), five);
    await assertSet(table, identifiers(`<Id>${'x'.repeat(64)}</Id>`));
    await assertSet(table, five);
    const policy = (members: string): string =>
      identifiers(`<Id>1</Id><AccessPolicy>${members}</AccessPolicy>`);
    for (const wrong of [
      identifiers(`<Id>${'x'.repeat(65)}</Id>`),
      identifiers('<Id>1</Id>', '<Id>1</Id>'),
      identifiers('<AccessPolicy><Permission>r</Permission></AccessPolicy>'),
      policy('<Permission>rx</Permission>'),
      policy('<Permission>R</Permission>'),
      policy('<Start>yesterday</Start>'),
      policy('<Expiry>2021-02-30T00:00:00Z</Expiry>'),
      '<SignedIdentifiers><SignedIdentifier>',
      '<Other />',
      'text',
    ]) {
      await assertRefused(table, wrong, five);
    }
  });

  conforms(81, async () => {
    const refusal = { ...refusals.tableNotFound, shape: 'prefixed xml' } as const;
    await assertError(wire, await get('missing'), refusal);
    await assertError(wire, await set('missing', identifiers('<Id>1</Id>')), refusal);
    await assertError(wire, await set('missing', ''), refusal);
    const json = { Accept: 'application/json;odata=minimalmetadata' };
    await assertError(wire, await wire.send({ path: '/missing?comp=acl', headers: json }), refusal);
  });

  conforms(82, async () => {
    const table = await wire.createTable();
    for (const body of ['', empty, identifiers('<Id>1</Id>')]) {
      const response = await set(table, body);
      for (const name of ['cache-control', 'x-content-type-options', 'etag', 'content-type']) {
        assert.equal(response.headers[name], undefined, name);
      }
      assert.equal(response.headers['content-length'], '0');
      await assertXmlAnswer(wire, response, { status: '204 No Content' });
    }
  });
});
