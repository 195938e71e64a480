import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { AzureNamedKeyCredential, generateAccountSas, generateTableSas } from '@azure/data-tables';
import type { AccessPolicy } from '../../src/account/access-policy.ts';
import { developmentAccount, parseAccount } from '../../src/auth/accounts.ts';
import { type SasContext, signSas, verifySas } from '../../src/auth/shared-access-signature.ts';

const { name } = developmentAccount;
const key: string = developmentAccount.key;
const secondKey = Buffer.from('the second key').toString('base64');
const account = parseAccount(`${name}:${key}:${secondKey}`);
const nowMs = Date.parse('2026-06-01T12:00:00Z');
const before = '2026-06-01T11:59:59Z';
const after = '2026-06-01T12:00:01Z';
const credential = new AzureNamedKeyCredential(name, key);

const context: SasContext = {
  account,
  serviceLetter: 't',
  nowMs,
  isSecure: false,
  clientAddress: '10.1.2.3',
  readAccessPolicy: async () => undefined,
};

type Fields = Record<string, string>;

function hmac(text: string, of = key): string {
  return createHmac('sha256', Buffer.from(of, 'base64')).update(text).digest('base64');
}

function verify(token: Fields | string, changes: Partial<SasContext> = {}) {
  const fields = typeof token === 'string' ? new URLSearchParams(token) : new Map(Object.entries(token));
  return verifySas({ get: field => fields.get(field) ?? undefined }, { ...context, ...changes });
}

/** A token of a table, signed by hand as the newer versions do. */
function tableToken(changes: Fields = {}, signedBy = key): Fields {
  const fields: Fields = { sv: '2019-02-02', tn: 'People', sp: 'raud', se: after, ...changes };
  const of = (field: string): string => fields[field] ?? '';
  const text = `${of('sp')}\n${of('st')}\n${of('se')}\n/table/${name}/people\n${of('si')}\n${of('sip')}\n${of('spr')}\n${of('sv')}\n${of('spk')}\n${of('srk')}\n${of('epk')}\n${of('erk')}`;
  return { ...fields, sig: hmac(text, signedBy) };
}

function accountToken(changes: Fields = {}): Fields {
  const fields: Fields = { sv: '2019-02-02', ss: 'bt', srt: 'co', sp: 'rl', se: after, ...changes };
  const of = (field: string): string => fields[field] ?? '';
  const scope = of('sv') >= '2020-12-06' ? `${of('ses')}\n` : '';
  const text = `${name}\n${of('sp')}\n${of('ss')}\n${of('srt')}\n${of('st')}\n${of('se')}\n${of('sip')}\n${of('spr')}\n${of('sv')}\n${scope}`;
  return { ...fields, sig: hmac(text) };
}

const failed = { code: 'AuthenticationFailed', status: 403 };

describe('a service SAS', () => {
  const whole = {
    by: 'service SAS',
    permissions: 'raud',
    table: 'People',
    startPartitionKey: undefined,
    startRowKey: undefined,
    endPartitionKey: undefined,
    endRowKey: undefined,
  };

  it('grants what it says, signed by either key', async () => {
    assert.deepEqual(await verify(tableToken()), whole);
    assert.deepEqual(await verify(tableToken({}, secondKey)), whole);
    assert.deepEqual(await verify(tableToken({ sp: 'r', spk: 'a', srk: '1', epk: '', erk: '' })), {
      ...whole,
      permissions: 'r',
      startPartitionKey: 'a',
      startRowKey: '1',
      endPartitionKey: '',
      endRowKey: '',
    });
  });

  it('is accepted as the official client makes it', async () => {
    const token = generateTableSas('People', credential, {
      permissions: { query: true, add: true },
      startsOn: new Date(nowMs - 1000),
      expiresOn: new Date(nowMs + 1000),
      ipRange: { start: '10.0.0.0', end: '10.255.255.255' },
      protocol: 'https,http',
      startPartitionKey: "O'Hara & Söhne",
      startRowKey: '1+1',
      endPartitionKey: 'p',
      endRowKey: 'z',
    });
    const grant = await verify(token);
    assert.ok(grant.by === 'service SAS');
    assert.deepEqual(
      [grant.permissions, grant.startPartitionKey, grant.startRowKey],
      ['ra', "O'Hara & Söhne", '1+1'],
    );
  });

  it('signs each of its fields', async () => {
    const token = tableToken({
      st: before,
      sip: '10.1.2.3',
      spr: 'https,http',
      spk: 'a',
      srk: 'b',
      epk: 'c',
      erk: 'd',
    });
    await verify(token);
    for (const field of Object.keys(token)) {
      const changed = { ...token, [field]: field === 'sv' ? '2020-12-06' : `1${token[field]}` };
      await assert.rejects(verify(changed), failed, field);
      const { [field]: _, ...without } = token;
      await assert.rejects(verify(without), failed, field);
    }
    await assert.rejects(verify({ ...tableToken(), sp: 'r' }), failed);
    await assert.rejects(verify(tableToken({}, Buffer.from('another').toString('base64'))), failed);
  });

  it('takes a signature whose plus became a space', async () => {
    for (let second = 10; second < 60; second++) {
      const token = tableToken({ se: `2026-06-01T12:01:${second}Z` });
      if (!(token.sig as string).includes('+')) continue;
      await verify({ ...token, sig: (token.sig as string).replaceAll('+', ' ') });
      return;
    }
    assert.fail('no signature with a plus');
  });

  it('had a shorter text to sign before 2015-04-05, and no service in it before 2015-02-21', async () => {
    for (const [sv, resource] of [
      ['2012-02-12', `/${name}/people`],
      ['2014-02-14', `/${name}/people`],
      ['2015-02-21', `/table/${name}/people`],
    ] as const) {
      const sig = hmac(`raud\n\n${after}\n${resource}\n\n${sv}\n\n\n\n`);
      const token = { sv, tn: 'People', sp: 'raud', se: after, sig };
      assert.deepEqual(await verify(token), whole);
      // Not signed then, hence not asked: whoever can add it can leave it away.
      assert.deepEqual(await verify({ ...token, spr: 'https' }), whole);
      await assert.rejects(verify({ ...token, sv: '2015-04-05' }), failed);
    }
  });

  it('holds from its start to its expiry', async () => {
    const now = '2026-06-01T12:00:00.0000000Z';
    for (const fields of [
      { st: before },
      { st: now },
      { st: '2026-06-01' },
      { se: '2026-06-02' },
      { se: '2026-06-01T12:01Z' },
    ]) {
      await verify(tableToken(fields as Fields));
    }
    for (const fields of [{ st: after }, { se: before }, { se: now }, { se: 'tomorrow' }, { st: 'soon' }]) {
      await assert.rejects(verify(tableToken(fields as Fields)), failed, JSON.stringify(fields));
    }
  });

  it('needs its fields, with no letter that tables do not know', async () => {
    for (const fields of [
      { se: '' },
      { sp: '' },
      { sp: 'rx' },
      { srk: 'a' },
      { erk: 'a' },
      { sv: '' },
      { sv: '2019' },
    ]) {
      await assert.rejects(verify(tableToken(fields as Fields)), failed, JSON.stringify(fields));
    }
  });

  it('holds for the protocol and the addresses that it names', async () => {
    await assert.rejects(verify(tableToken({ spr: 'https' })), { code: 'AuthorizationProtocolMismatch' });
    await verify(tableToken({ spr: 'https' }), { isSecure: true });
    await verify(tableToken({ spr: 'https,http' }), { isSecure: true });
    await assert.rejects(verify(tableToken({ spr: 'http' })), failed);
    await verify(tableToken({ sip: '10.1.2.0-10.1.2.3' }));
    await assert.rejects(verify(tableToken({ sip: '10.1.2.4' })), {
      code: 'AuthorizationSourceIPMismatch',
      message: 'This request is not authorized to perform this operation using this source IP 10.1.2.3.',
    });
  });

  it('takes from its access policy what it does not say itself, and nothing that it says', async () => {
    const policy: AccessPolicy = { id: 'p', start: before, expiry: after, permissions: 'r' };
    const readAccessPolicy = async (table: string, id: string): Promise<AccessPolicy | undefined> =>
      table === 'People' && id === 'p' ? policy : undefined;
    const byPolicy = (changes: Fields) =>
      verify(tableToken({ sp: '', se: '', si: 'p', ...changes }), { readAccessPolicy });
    assert.deepEqual(await byPolicy({}), { ...whole, permissions: 'r' });
    for (const changes of [{ sp: 'r' }, { se: after }, { st: before }, { si: 'q' }]) {
      await assert.rejects(byPolicy(changes as Fields), failed, JSON.stringify(changes));
    }
    const partial = async (): Promise<AccessPolicy> => ({ id: 'p', permissions: 'r' });
    const token = tableToken({ sp: '', si: 'p' });
    assert.deepEqual(await verify(token, { readAccessPolicy: partial }), { ...whole, permissions: 'r' });
    await assert.rejects(
      verify(tableToken({ sp: '', se: '', si: 'p' }), { readAccessPolicy: partial }),
      failed,
    );
    const expired = async (): Promise<AccessPolicy> => ({ ...policy, expiry: before });
    await assert.rejects(
      verify(tableToken({ sp: '', se: '', si: 'p' }), { readAccessPolicy: expired }),
      failed,
    );
  });
});

describe('an account SAS', () => {
  it('grants what it says, in the text of its version', async () => {
    for (const sv of ['2015-04-05', '2019-02-02', '2020-10-02', '2020-12-06', '2026-06-06']) {
      assert.deepEqual(await verify(accountToken({ sv })), {
        by: 'account SAS',
        permissions: 'rl',
        resourceTypes: 'co',
      });
    }
    await assert.rejects(verify(accountToken({ sv: '2015-02-21' })), failed);
  });

  it('is accepted as the official client makes it', async () => {
    const token = generateAccountSas(credential, {
      permissions: { query: true, list: true, add: true },
      resourceTypes: 'co',
      services: { table: true },
      expiresOn: new Date(nowMs + 1000),
      startsOn: new Date(nowMs - 1000),
      protocol: 'https,http',
      ipRange: { start: '10.1.2.3' },
    });
    const grant = await verify(token);
    assert.ok(grant.by === 'account SAS');
    assert.equal(grant.resourceTypes, 'co');
  });

  it('signs each of its fields, and needs those that bound it', async () => {
    const token = accountToken({
      sv: '2020-12-06',
      st: before,
      sip: '10.1.2.3',
      spr: 'https,http',
      ses: 'x',
    });
    await verify(token);
    for (const field of Object.keys(token)) {
      const { [field]: _, ...without } = token;
      await assert.rejects(verify(without), failed, field);
    }
    for (const field of ['sp', 'se', 'srt', 'ss']) {
      await assert.rejects(verify(accountToken({ [field]: '' })), failed, field);
    }
    await assert.rejects(verify(accountToken({ se: before })), failed);
    await assert.rejects(verify(accountToken({ st: after })), failed);
  });

  it('holds for its services, protocol and addresses', async () => {
    await assert.rejects(verify(accountToken({ ss: 'bq' })), { code: 'AuthorizationServiceMismatch' });
    await assert.rejects(verify(accountToken({ spr: 'https' })), { code: 'AuthorizationProtocolMismatch' });
    await assert.rejects(verify(accountToken({ sip: '10.1.2.4' })), {
      code: 'AuthorizationSourceIPMismatch',
    });
  });
});

describe('a token of our own', () => {
  it('is the one that the official client makes', () => {
    const expiresOn = new Date('2026-06-01T12:00:00Z');
    const theirs = new URLSearchParams(
      generateTableSas('People', credential, { permissions: { query: true }, expiresOn }),
    );
    const [sv, se] = [theirs.get('sv') as string, theirs.get('se') as string];
    const ours = new URLSearchParams(signSas(account, { sv, se, tn: 'People', sp: 'r', st: undefined }));
    assert.equal(ours.get('sig'), theirs.get('sig'));
    assert.equal(ours.has('st'), false);
  });

  it('is verified, of a table and of an account', async () => {
    await verify(signSas(account, { sv: '2020-12-06', tn: 'People', sp: 'r', se: after, spk: 'a&b=c' }));
    await verify(signSas(account, { sv: '2020-12-06', ss: 't', srt: 's', sp: 'r', se: after }));
  });
});
