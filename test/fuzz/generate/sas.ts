import { createHmac } from 'node:crypto';
import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import type { FuzzAccount, World } from '../world.ts';
import { partitionKey, rowKey } from './names.ts';
import type { QueryOption } from './queries.ts';
import { policyIds } from './xml.ts';

type Fields = Record<string, string>;

/**
 * The options of a shared access signature that opens a table, or an account: signed by the rules of the
 * REST documentation, "Create a service SAS" and "Create an account SAS". Mutations come before the signing
 * mostly, so that what is behind the signature sees them.
 */
export function sasOptions(random: Random, account: FuzzAccount, table: string, world: World): QueryOption[] {
  const isAccountSas = random.onceIn(2);
  const fields = isAccountSas ? accountFields(random, world) : tableFields(random, table, world);
  mutateFields(random, fields);
  const text = isAccountSas ? accountText(fields, account) : tableText(fields, account);
  const key = Buffer.from(random.pick(account.keys), 'base64');
  fields.sig = createHmac('sha256', key).update(text).digest('base64');
  if (random.oddOnceIn(10)) mutateFields(random, fields);
  const options = Object.entries(fields).map(
    ([name, value]): QueryOption => [name, encodeURIComponent(Buffer.from(value).toString())],
  );
  if (random.oddOnceIn(40)) options.push(random.pick(options));
  return random.onceIn(20) ? options.toReversed() : options;
}

function tableFields(random: Random, table: string, world: World): Fields {
  const fields: Fields = { sv: version(random), tn: random.onceIn(4) ? table.toUpperCase() : table };
  if (random.oddOnceIn(4)) fields.si = random.pick(policyIds);
  else {
    fields.sp = random.pick(['raud', 'raud', 'r', 'ra', 'au', 'd', 'u', 'dr']);
    fields.se = moment(random, world, 1);
  }
  if (random.onceIn(4)) fields.st = moment(random, world, -1);
  if (random.onceIn(4)) {
    fields.spk = partitionKey(random);
    if (random.onceIn(2)) fields.srk = rowKey(random);
  }
  if (random.onceIn(4)) {
    fields.epk = partitionKey(random);
    if (random.onceIn(2)) fields.erk = rowKey(random);
  }
  return { ...fields, ...restrictions(random) };
}

function accountFields(random: Random, world: World): Fields {
  return {
    sv: random.pickUsually(10, ['2019-02-02', '2020-12-06', '2015-04-05'], ['2012-02-12', '', 'x']),
    ss: random.pickUsually(8, ['t', 'bqtf', 'tb'], ['b', 'tt', 'x', '']),
    srt: random.pickUsually(4, ['sco', 'ocs'], ['s', 'c', 'o', 'oc', 'x', '']),
    sp: random.pickUsually(4, ['rwdlacu', 'rwdlacup'], ['r', 'l', 'au', 'rl', 'wd', 'x', '']),
    se: moment(random, world, 1),
    ...(random.onceIn(4) ? { st: moment(random, world, -1) } : {}),
    ...restrictions(random),
  };
}

const oddAddresses = ['10.0.0.1', '::1', 'x', '1-2', '999.1.1.1', '-', '127.0.0.1-', '10.0.0.1-10.0.0.9', ''];

function restrictions(random: Random): Fields {
  const sip = random.pickUsually(4, ['127.0.0.1', '127.0.0.0-127.255.255.255'], oddAddresses);
  const spr = random.pickUsually(4, ['https,http'], ['https', 'http', 'ftp', '', 'http,https']);
  return { ...(random.onceIn(6) ? { sip } : {}), ...(random.onceIn(6) ? { spr } : {}) };
}

const versions = [
  '2019-02-02',
  '2020-12-06',
  '2026-02-06',
  '2015-04-05',
  '2012-02-12',
  '2013-08-15',
  '2015-02-21',
];

function version(random: Random): string {
  return random.pickUsually(15, versions, ['2011-08-18', '', 'x', '2099-01-01', '2015-04-06']);
}

const oddMoments = [
  '2099-01-01',
  '',
  'x',
  '2099-02-30',
  '2099-01-01T00:00:00+01:00',
  '1970-01-01',
  '99999-01-01',
];

/** A time before or behind now, in one of the forms that are allowed, or not. */
function moment(random: Random, world: World, direction: number): string {
  if (random.oddOnceIn(12)) return random.pick(oddMoments);
  const ms = world.now() + direction * 3_600_000 * (random.oddOnceIn(15) ? -1 : 1);
  const iso = new Date(ms).toISOString();
  return random.pick([`${iso.slice(0, 19)}Z`, `${iso.slice(0, 16)}Z`, iso, `${iso.slice(0, 19)}.1234567Z`]);
}

const otherFields = ['srk', 'erk', 'ss', 'srt', 'tn', 'si', 'sdd', 'ses', 'skoid', 'sr', 'saoid', 'spk'];

function mutateFields(random: Random, fields: Fields): void {
  const name = random.pick(Object.keys(fields));
  if (random.oddOnceIn(5)) fields[name] = mutateTextOften(random, fields[name] as string);
  if (random.oddOnceIn(15)) delete fields[name];
  if (random.oddOnceIn(15)) fields[random.pick(otherFields)] = random.pick(['', 'x', 't']);
}

const firstWithRestrictions = '2015-04-05';
const firstWithService = '2015-02-21';
const firstWithEncryptionScope = '2020-12-06';

function tableText(fields: Fields, { name }: FuzzAccount): string {
  const { sv = '', tn = '' } = fields;
  const resource = `${sv >= firstWithService ? '/table' : ''}/${name}/${tn.toLowerCase()}`;
  const value = (field: string): string => fields[field] ?? '';
  const restricted = sv >= firstWithRestrictions ? ['sip', 'spr'] : [];
  const behind = ['si', ...restricted, 'sv', 'spk', 'srk', 'epk', 'erk'];
  return [...['sp', 'st', 'se'].map(value), resource, ...behind.map(value)].join('\n');
}

function accountText(fields: Fields, { name }: FuzzAccount): string {
  const { sv = '' } = fields;
  const names = [
    'sp',
    'ss',
    'srt',
    'st',
    'se',
    'sip',
    'spr',
    'sv',
    ...(sv >= firstWithEncryptionScope ? ['ses'] : []),
  ];
  return `${[name, ...names.map(field => fields[field] ?? '')].join('\n')}\n`;
}
