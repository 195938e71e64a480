import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { AzureSASCredential, TableClient, TableServiceClient } from '@azure/data-tables';
import { clientOptions, freshTable, refusal } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const program = new URL('../../src/cli.ts', import.meta.url).pathname;

function run(...args: string[]): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', program, 'sas', ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, output: stdout.trim(), errors: stderr };
}

/** The token, as an address carries it. */
function sas(...args: string[]): string {
  const { status, output, errors } = run(...args);
  assert.equal(status, 0, errors);
  return output;
}

describe('tabularium sas', () => {
  const server = useServer();

  it('prints a token of a table, which the official client uses', async () => {
    const table = await freshTable(server);
    for (const partitionKey of ['a', 'b', 'c']) await table.createEntity({ partitionKey, rowKey: '1' });
    const { endpoints } = await server();
    const token = sas(
      'table',
      table.tableName,
      '--permissions',
      'ru',
      '--expiry',
      '1h',
      '--start-pk',
      'b',
      '--end-pk',
      'b',
    );
    const client = new TableClient(
      endpoints.table,
      table.tableName,
      new AzureSASCredential(token),
      clientOptions,
    );
    const found: string[] = [];
    for await (const { partitionKey } of client.listEntities()) found.push(partitionKey as string);
    assert.deepEqual(found, ['b']);
    await client.updateEntity({ partitionKey: 'b', rowKey: '1', x: 1 });
    await assert.rejects(client.deleteEntity('b', '1'), refusal(403, 'AuthorizationPermissionMismatch'));
  });

  it('prints a token for an access policy alone, which can be revoked', async () => {
    const table = await freshTable(server);
    const { endpoints } = await server();
    await table.setAccessPolicy([
      { id: 'readers', accessPolicy: { permission: 'r', expiry: new Date(Date.now() + 60_000) } },
    ]);
    const token = sas('table', table.tableName, '--policy', 'readers');
    const client = new TableClient(
      endpoints.table,
      table.tableName,
      new AzureSASCredential(token),
      clientOptions,
    );
    for await (const _ of client.listEntities());
    await table.setAccessPolicy([]);
    await assert.rejects(client.listEntities().next(), refusal(403, 'AuthenticationFailed'));
  });

  it('prints a token of an account, and the address with it', async () => {
    await freshTable(server);
    const { endpoints } = await server();
    const address = sas(
      'account',
      '--permissions',
      'l',
      '--resource-types',
      'c',
      '--expiry',
      '1h',
      '--endpoint',
      endpoints.table,
    );
    const client = new TableServiceClient(address, clientOptions);
    assert.equal((await client.listTables().next()).done, false);
    await assert.rejects(client.createTable('other'), refusal(403, 'AuthorizationPermissionMismatch'));
  });

  it('signs with the accounts that are given', () => {
    const one = ['--account', 'one:AAAA', '--account', 'two:BBBB'];
    const token = (...args: string[]): string =>
      new URLSearchParams(
        sas('table', 'people', '--permissions', 'r', '--expiry', '2030-01-01', ...args),
      ).get('sig') as string;
    assert.equal(token(...one), token('--account', 'one:AAAA'));
    assert.equal(token(...one, '--account-name', 'two'), token('--account', 'two:BBBB'));
    assert.notEqual(token(...one), token(...one, '--account-name', 'two'));
  });

  it('puts the letters in order and leaves out what is not given', () => {
    const fields = new URLSearchParams(
      sas(
        'table',
        'people',
        '--permissions',
        'udar',
        '--start',
        '2026-01-01',
        '--expiry',
        '2030-01-01T12:00:00Z',
        '--https-only',
        '--ip',
        '10.0.0.1-10.0.0.9',
      ),
    );
    fields.delete('sig');
    assert.deepEqual(Object.fromEntries(fields), {
      sv: '2020-12-06',
      tn: 'people',
      sp: 'raud',
      st: '2026-01-01',
      se: '2030-01-01T12:00:00Z',
      sip: '10.0.0.1-10.0.0.9',
      spr: 'https',
    });
  });

  it('ends in one clear line where something is missing or wrong', () => {
    const cases = [
      [['table', 'people'], /give --permissions and --expiry, or a --policy/],
      [['table', 'people', '--permissions', 'rw', '--expiry', '1h'], /The letters are: r, a, u, d/],
      [['table', 'people', '--permissions', 'r', '--expiry', 'soon'], /A time is/],
      [
        ['table', 'people', '--permissions', 'r', '--expiry', '1h', '--start-rk', 'a'],
        /--start-rk needs --start-pk/,
      ],
      [
        ['table', 'people', '--permissions', 'r', '--expiry', '1h', '--account-name', 'x'],
        /there is no account 'x'/,
      ],
      [
        ['table', 'people', '--permissions', 'r', '--expiry', '1h', '--account', 'x'],
        /account name 'x'|give it as/,
      ],
      [['account', '--permissions', 'r'], /give --expiry/],
    ] as const;
    for (const [args, message] of cases) {
      const { status, output, errors } = run(...args);
      assert.equal(status, 1, args.join(' '));
      assert.equal(output, '');
      assert.match(errors, message);
      assert.doesNotMatch(errors, /at .*\.ts/);
    }
  });
});
