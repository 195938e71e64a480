import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { clientOptions, collect } from '../support/official-client.ts';
import { run, start } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const fixture = new URL('../azurite/fixtures/table-file.json', import.meta.url).pathname;

/** Runs `tabularium import-azurite` to its end. */
async function importAzurite(
  t: TestContext,
  args: readonly string[],
): Promise<{ code: number | null; output: string; errors: readonly string[] }> {
  const program = run(t, ['import-azurite', ...args]);
  const code = await program.exited;
  return { code, output: program.output, errors: program.errors.split('\n').slice(0, -1) };
}

function folder(t: TestContext): string {
  const { path, remove } = temporaryFolder();
  t.after(remove);
  return path;
}

describe('tabularium import-azurite', { timeout: 60_000 }, () => {
  it('takes over a folder of the emulator, so that the official client finds it all', async t => {
    const location = folder(t);
    copyFileSync(fixture, join(location, '__azurite_db_table__.json'));
    const data = join(folder(t), 'made');
    const { code, output, errors } = await importAzurite(t, [location, '--data', data]);
    assert.equal(code, 2);
    assert.match(output, /^Imported 7 tables with 56 entities into \S+ in \d+\.\d s\.$/m);
    assert.match(output, /^Access policies were set on 2 tables\.$/m);
    assert.match(output, /^Service properties were set on 1 account\.$/m);
    assert.match(output, /^Left out, as told above: 8\.$/m);
    assert.equal(errors.length, 8);
    for (const line of errors) assert.match(line, /^left out: loose, PartitionKey "loose", RowKey "\w+": /);

    const server = await start(t, ['--data', data]);
    const connectionString = /Connection string\s+(\S+)/.exec(server.output)?.[1] as string;
    const client = (table: string) =>
      TableClient.fromConnectionString(connectionString, table, clientOptions);
    const double = await client('Types').getEntity('types', 'double', { disableTypeConversion: true });
    assert.deepEqual(double.notANumber, { type: 'Double', value: 'NaN' });
    assert.equal((await client('Types').getEntity('types', 'int64')).least, -9223372036854775808n);
    assert.equal((await client('oddkeys').getEntity('p', '')).key, '');
    assert.equal((await client('oddkeys').getEntity("o'clock", 'r')).key, "o'clock");
    assert.equal((await collect(client('People').listEntities())).length, 5);
  });

  it('exits 0 where everything came over; refuses a second time; adds what is missing with --merge', async t => {
    const data = folder(t);
    const args = [fixture, '--data', data, '--account', 'second', '--into', 'mine'];
    const first = await importAzurite(t, args);
    assert.equal(first.code, 0);
    assert.deepEqual(first.errors, []);
    assert.match(first.output, /^Imported 2 tables with 5 entities into /);
    const second = await importAzurite(t, args);
    assert.equal(second.code, 1);
    assert.equal(second.output, '');
    assert.deepEqual(second.errors, [
      'tabularium: there already: mine/People, mine/Empty; nothing was imported. With --merge, tables get what they lack and keep what they have',
    ]);
    const third = await importAzurite(t, [...args, '--merge']);
    assert.equal(third.code, 0);
    assert.match(third.output, /with 0 entities .*\n5 entities were there already\.$/m);
  });

  it('ends in one clear line for a file that is missing, another, or cut off, and makes no data folder', async t => {
    const files = folder(t);
    const data = join(files, 'data');
    const refusal = async (path: string): Promise<string> => {
      const { code, output, errors } = await importAzurite(t, [path, '--data', data]);
      assert.equal(code, 1);
      assert.equal(output, '');
      assert.equal(errors.length, 1);
      assert.equal(existsSync(data), false);
      return errors[0] as string;
    };
    const write = (name: string, content: string | Buffer): string => {
      writeFileSync(join(files, name), content);
      return join(files, name);
    };
    const missing = join(files, 'missing.json');
    assert.match(await refusal(missing), new RegExp(`^tabularium: cannot read ${missing}: ENOENT`));
    mkdirSync(join(files, 'empty'));
    assert.match(await refusal(join(files, 'empty')), /cannot read .*ENOENT.*__azurite_db_table__\.json/);
    assert.match(
      await refusal(write('a.txt', 'hello')),
      /a\.txt is no table file of the emulator, nothing was imported: not JSON, at byte 0 or later: /,
    );
    assert.match(
      await refusal(write('b.json', '{"collections":[]}')),
      /it has no collection \$TABLES_COLLECTION\$/,
    );
    const half = readFileSync(fixture).subarray(0, 20_000);
    assert.match(await refusal(write('half.json', half)), /the JSON is cut off: it ends at byte 20000/);
  });

  it('ends in one clear line while a server has the data folder', async t => {
    const data = folder(t);
    await start(t, ['--data', data]);
    const { code, errors } = await importAzurite(t, [fixture, '--data', data]);
    assert.equal(code, 1);
    assert.deepEqual(errors, [`tabularium: the data folder ${data} is in use by another tabularium server`]);
  });
});
