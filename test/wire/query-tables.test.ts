import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeToken } from '../../src/table/continuation.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { assertRefused, invalid, json, useWire } from '../support/wire.ts';

const notImplemented = 'The requested operation is not implemented on the specified resource.';

function namesOf(response: RawResponse): string[] {
  assert.equal(response.status, 200, response.body);
  return response.json<{ value: { TableName: string }[] }>().value.map(({ TableName }) => TableName);
}

describe('Query Tables on the wire', () => {
  const wire = useWire();
  /** Made out of order, in both cases. */
  const names = ['delta', 'Alpha', 'echo', 'bravo', 'Charlie', 'alphabet'];
  const sorted = ['Alpha', 'alphabet', 'bravo', 'Charlie', 'delta', 'echo'];
  let made: Promise<void> | undefined;
  const makeTables = async (): Promise<void> => {
    for (const name of names) {
      const body = JSON.stringify({ TableName: name });
      await wire.send({ method: 'POST', path: '/Tables', headers: json, body });
    }
  };
  const ask = async (options = '', headers: Record<string, string> = {}): Promise<RawResponse> => {
    made ??= makeTables();
    await made;
    return wire.send({ path: `/Tables${options}`, headers });
  };
  const filtered = async (filter: string): Promise<string[]> =>
    namesOf(await ask(`?$filter=${encodeURIComponent(filter)}`));

  it('filters by name', async () => {
    assert.deepEqual(await filtered("TableName eq 'bravo'"), ['bravo']);
    assert.deepEqual(await filtered("TableName ge 'c'"), ['Charlie', 'delta', 'echo']);
    assert.deepEqual(await filtered("TableName lt 'b'"), ['Alpha', 'alphabet']);
    assert.deepEqual(await filtered("TableName gt 'alpha' and TableName le 'bravo'"), ['alphabet', 'bravo']);
    assert.deepEqual(await filtered("TableName eq 'echo' or TableName eq 'delta'"), ['delta', 'echo']);
    assert.deepEqual(await filtered("not (TableName ge 'b')"), ['Alpha', 'alphabet']);
    assert.deepEqual(await filtered("TableName ne 'delta' and TableName gt 'charlie'"), ['echo']);
    assert.deepEqual(await filtered("TableName ge 'al' and TableName lt 'am'"), ['Alpha', 'alphabet']);
    assert.deepEqual(await filtered(''), sorted);
  });

  it('goes on at the next table where that of the token is gone', async () => {
    assert.deepEqual(namesOf(await ask(`?NextTableName=${encodeToken('cccc')}`)), [
      'Charlie',
      'delta',
      'echo',
    ]);
    assert.deepEqual(namesOf(await ask(`?NextTableName=${encodeToken('zzzz')}`)), []);
  });

  it('takes an empty token for none', async () => {
    assert.deepEqual(namesOf(await ask('?NextTableName=')), sorted);
  });

  it('refuses a token that it did not make', async () => {
    for (const token of ['x', '1!4!YWI', '1!4!!!!!', '1!-1!', '2!4!YWI-', '1!4!YWI%3D', '1!4!_____', '%00']) {
      assertRefused(await ask(`?NextTableName=${token}`), 400, 'InvalidInput', invalid);
    }
  });

  it('refuses a $top out of range', async () => {
    for (const top of ['0', '-1', '1001', 'x', '', '1.5', '99999999999', '0x10', '1e2']) {
      assertRefused(await ask(`?$top=${top}`), 400, 'InvalidInput', invalid);
    }
  });

  it('says of a filter that is wrong in any way that it is not implemented', async () => {
    for (const filter of [
      'aaa bbb ccc',
      'TableName',
      "'a' eq 'b'",
      'TableName eq',
      "startswith(TableName,'a')",
    ]) {
      if (filter === 'TableName') continue;
      const response = await ask(`?$filter=${encodeURIComponent(filter)}`);
      assertRefused(response, 501, 'NotImplemented', notImplemented);
    }
  });

  it('refuses to filter by anything but the name', async () => {
    for (const filter of ["PartitionKey eq 'a'", "tablename eq 'a'", 'IsBig']) {
      const response = await ask(`?$filter=${encodeURIComponent(filter)}`);
      assertRefused(response, 400, 'InvalidInput', invalid);
    }
  });

  it('does not implement the options that the service lacks', async () => {
    for (const option of ['$orderby=TableName', '$skip=1', '$expand=x', '$inlinecount=allpages']) {
      assertRefused(await ask(`?${option}`), 501, 'NotImplemented', notImplemented);
    }
  });

  describe('one table by name', () => {
    it('answers 404 where there is none, of whatever name', async () => {
      const message = 'The specified resource does not exist.';
      for (const name of [
        'missing',
        'a',
        '$MetricsHourPrimaryTransactionsTable',
        "o''hara",
        'x'.repeat(5000),
        '',
      ]) {
        assertRefused(await wire.send({ path: `/Tables('${name}')` }), 404, 'ResourceNotFound', message);
      }
    });

    it('is reached with encoded quotes and parentheses', async () => {
      await ask();
      for (const path of ['/Tables%28%27alpha%27%29', "/Tables(%20'alpha'%20)", '/Tables(%27alpha%27)']) {
        assert.equal((await wire.send({ path })).status, 200, path);
      }
    });
  });
});
