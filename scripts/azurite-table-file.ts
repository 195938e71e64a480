/**
 * Makes the fixtures of test/azurite anew: table-file.json, which the real emulator left on disk after the official
 * client, and requests that no client makes, had written to it; and answers.json, what it answered when it was asked
 * for the entities. Run: node --import tsx scripts/azurite-table-file.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AzureNamedKeyCredential, TableClient, TableServiceClient } from '@azure/data-tables';
import { installedCommand } from '../bench/install.ts';
import { freePort } from '../bench/servers.ts';
import { developmentAccount } from '../src/auth/accounts.ts';
import { rawClient } from '../test/support/raw-client.ts';

const fixtures = new URL('../test/azurite/fixtures/', import.meta.url).pathname;
const options = { allowInsecureConnection: true };
const secondAccount = { name: 'second', key: 'c2Vjb25k' };

const folder = mkdtempSync(join(tmpdir(), 'azurite-'));
const port = await freePort();
const emulator = spawn(
  process.execPath,
  [
    installedCommand('azurite', 'azurite-table'),
    // A relative location: the file names itself by its path.
    ...['--location', '.', '--tablePort', String(port), '--silent', '--disableTelemetry'],
    '--skipApiVersionCheck',
  ],
  {
    cwd: folder,
    env: {
      ...process.env,
      AZURITE_ACCOUNTS: [developmentAccount, secondAccount]
        .map(({ name, key }) => `${name}:${key}`)
        .join(';'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
await new Promise<void>(resolve => {
  emulator.stdout.on('data', chunk => String(chunk).includes('successfully started') && resolve());
});

try {
  await writePeople(developmentAccount);
  await writeTypes(developmentAccount);
  await writeOddKeys(developmentAccount);
  await writeWhatTheServiceRefuses(developmentAccount);
  await writeProperties(developmentAccount);
  await writePeople(secondAccount);
  const answers = [];
  for (const table of ['People', 'Types', 'oddkeys']) answers.push(await readAnswer(table));
  writeFileSync(join(fixtures, 'answers.json'), `${JSON.stringify(answers, null, 2)}\n`);
} finally {
  emulator.kill('SIGINT');
  await once(emulator, 'exit');
}
copyFileSync(join(folder, '__azurite_db_table__.json'), join(fixtures, 'table-file.json'));
rmSync(folder, { recursive: true });

interface NamedKey {
  readonly name: string;
  readonly key: string;
}

function endpointOf({ name }: NamedKey): string {
  return `http://127.0.0.1:${port}/${name}`;
}

function tableOf(account: NamedKey, table: string): TableClient {
  const credential = new AzureNamedKeyCredential(account.name, account.key);
  return new TableClient(endpointOf(account), table, credential, options);
}

/** A table with casing, access policies, an entity that was merged, one that was replaced, one that is gone. */
async function writePeople(account: NamedKey): Promise<void> {
  const people = tableOf(account, 'People');
  await people.createTable();
  await people.createEntity({ partitionKey: 'Sales', rowKey: '000223', lastName: 'Jones', age: 34 });
  await people.updateEntity({ partitionKey: 'Sales', rowKey: '000223', age: 35, city: 'Ghent' }, 'Merge');
  await people.createEntity({ partitionKey: 'Sales', rowKey: '000224', account: account.name, old: true });
  await people.updateEntity({ partitionKey: 'Sales', rowKey: '000224', account: account.name }, 'Replace');
  await people.createEntity({ partitionKey: 'Sales', rowKey: '000225' });
  await people.deleteEntity('Sales', '000225');
  await people.submitTransaction(
    ['a', 'b', 'c'].map(rowKey => [
      'create',
      { partitionKey: 'Support', rowKey, desk: rowKey.charCodeAt(0) },
    ]),
  );
  await people.setAccessPolicy([
    {
      id: 'readers',
      accessPolicy: {
        start: new Date('2024-01-02T03:04:05Z'),
        expiry: new Date('2034-01-02T03:04:05Z'),
        permission: 'r',
      },
    },
    {
      id: 'keepers',
      accessPolicy: {
        start: new Date('2024-01-02T03:04:05Z'),
        expiry: new Date('2034-01-02T03:04:05Z'),
        permission: 'raud',
      },
    },
  ]);
  const empty = tableOf(account, 'Empty');
  await empty.createTable();
  const dropped = tableOf(account, 'Dropped');
  await dropped.createTable();
  await dropped.createEntity({ partitionKey: 'p', rowKey: 'r' });
  await dropped.deleteTable();
}

/** All property types, at their edges. */
async function writeTypes(account: NamedKey): Promise<void> {
  const types = tableOf(account, 'Types');
  await types.createTable();
  const write = (rowKey: string, properties: Record<string, unknown>): Promise<unknown> =>
    types.createEntity({ partitionKey: 'types', rowKey, ...properties });
  await write('string', { empty: '', quoted: 'say "hi"\\\n\u0001', unicode: 'é名😀', halves: '\ud800' });
  await write('boolean', { yes: true, no: { value: 'false', type: 'Boolean' } });
  await write('int32', { least: -2147483648, most: 2147483647, text: { value: '12', type: 'Int32' } });
  await write('int64', { least: -9223372036854775808n, most: 9223372036854775807n, small: 3n });
  await write('double', {
    whole: { value: 3, type: 'Double' },
    text: { value: '3', type: 'Double' },
    plain: 3.25,
    tiny: 5e-324,
    large: { value: 1e300, type: 'Double' },
    notANumber: { value: 'NaN', type: 'Double' },
    infinite: { value: 'Infinity', type: 'Double' },
    negative: { value: '-Infinity', type: 'Double' },
  });
  await write('dateTime', {
    date: new Date('2024-02-29T12:34:56.789Z'),
    exact: { value: '2024-02-29T12:34:56.1234567Z', type: 'DateTime' },
    withoutZone: { value: '2024-02-29T12:34:56', type: 'DateTime' },
    withOffset: { value: '2024-02-29T12:34:56+01:00', type: 'DateTime' },
    least: { value: '1601-01-01T00:00:00Z', type: 'DateTime' },
  });
  await write('guid', {
    lower: { value: '0f8fad5b-d9cb-469f-a165-70867728950e', type: 'Guid' },
    upper: { value: '0F8FAD5B-D9CB-469F-A165-70867728950E', type: 'Guid' },
  });
  await write('binary', { bytes: Uint8Array.of(0, 1, 254, 255), none: new Uint8Array() });
  await write('null', { nothing: null, something: 'x' });
  await write('names', { é: 1, _: 2, Name: 3, name: 4 });
  // Numbers as no client writes them: the emulator keeps neither `3.0` apart from `3` nor Int32 in its bounds.
  await types.createEntity({ partitionKey: 'types', rowKey: 'beyond', sinceEpoch: 1708000000000 });
  await rawClient(endpointOf(account))({
    method: 'POST',
    path: '/Types',
    headers: { 'Content-Type': 'application/json', Prefer: 'return-no-content' },
    body: '{"PartitionKey":"types","RowKey":"raw","untypedDouble":3.0,"exponent":1e3,"text@odata.type":"Edm.String","text":"t"}',
  });
}

async function writeOddKeys(account: NamedKey): Promise<void> {
  const odd = tableOf(account, 'oddkeys');
  await odd.createTable();
  const keys = [
    '',
    ' ',
    "o'clock",
    "''",
    '100%',
    '%2F',
    'a+b',
    'é名😀',
    '(a,b=c)',
    '"quoted"',
    '$batch',
    '&;:@',
    'x'.repeat(512),
    '\ue000',
    '\u{10000}',
    'PartitionKey',
  ];
  for (const key of keys) {
    for (const pair of [
      { partitionKey: key, rowKey: 'r' },
      { partitionKey: 'p', rowKey: key },
    ]) {
      await odd.createEntity({ ...pair, key });
    }
  }
}

/** What the emulator takes and the service does not. */
async function writeWhatTheServiceRefuses(account: NamedKey): Promise<void> {
  const loose = tableOf(account, 'loose');
  await loose.createTable();
  const write = (rowKey: string, properties: Record<string, unknown>): Promise<unknown> =>
    loose.createEntity({ partitionKey: 'loose', rowKey, ...properties });
  await write('good', { fine: 'yes' });
  await write('name', { 'with-dash': 1 });
  await write('many', Object.fromEntries(Array.from({ length: 253 }, (_, index) => [`p${index}`, 1])));
  await write('early', { date: { value: '1600-12-31T23:59:59Z', type: 'DateTime' } });
  await write('int64', { wide: { value: '9223372036854775808', type: 'Int64' } });
  await write('notInt64', { text: { value: 'ten', type: 'Int64' } });
  await write('notGuid', { text: { value: 'no guid', type: 'Guid' } });
  await write('notBinary', { text: { value: 'not base64', type: 'Binary' } });
  await write('notDate', { text: { value: 'yesterday', type: 'DateTime' } });
  await write('after', { fine: 'too' });
}

async function writeProperties(account: NamedKey): Promise<void> {
  const service = new TableServiceClient(
    endpointOf(account),
    new AzureNamedKeyCredential(account.name, account.key),
    options,
  );
  await service.setProperties({
    logging: {
      version: '1.0',
      delete: true,
      read: false,
      write: true,
      retentionPolicy: { enabled: true, days: 7 },
    },
    hourMetrics: { version: '1.0', enabled: true, includeAPIs: true, retentionPolicy: { enabled: false } },
    cors: [
      {
        allowedOrigins: 'https://example.com,https://example.org',
        allowedMethods: 'GET,PUT',
        allowedHeaders: 'x-ms-meta-data*,x-ms-meta-target',
        exposedHeaders: 'x-ms-meta-*',
        maxAgeInSeconds: 200,
      },
    ],
  });
}

/** The answer to a query of all entities, as text: reading it as JSON would lose that 3.0 is a Double. */
async function readAnswer(table: string): Promise<unknown> {
  const { status, body } = await rawClient(endpointOf(developmentAccount))({ path: `/${table}` });
  if (status !== 200) throw new Error(`the emulator answered ${status}: ${body}`);
  return { account: developmentAccount.name, table, body };
}
