import type { AccessPolicy } from '../account/access-policy.ts';
import { authenticationFailed, ServiceError } from '../errors.ts';
import { isWellFormedVersion } from '../http/version.ts';
import { parseTicks, type Ticks, ticksFromMs } from '../ticks.ts';
import type { Account } from './accounts.ts';
import type { Grant } from './grant.ts';
import { isAddressIn } from './ip-range.ts';
import { isSigned, sign } from './signature.ts';

/**
 * Shared access signatures: service SAS of a table, and account SAS (REST: Create a service SAS, Create an
 * account SAS). A token is a set of query parameters; `sig` signs the others.
 */
export interface SasToken {
  /** The text of a parameter, percent-decoded; undefined where it is absent. */
  get(name: string): string | undefined;
}

/** What a token is verified against. */
export interface SasContext {
  readonly account: Account;
  /** Of the service that is asked, in an account SAS: `t` for tables. */
  readonly serviceLetter: string;
  readonly nowMs: number;
  readonly isSecure: boolean;
  /** Of the socket. */
  readonly clientAddress: string | undefined;
  /** Undefined where there is no such policy, or no such table. */
  readAccessPolicy(table: string, id: string): Promise<AccessPolicy | undefined>;
}

/** From this version on, addresses and protocols are signed, and account SAS exist. */
const firstNetworkVersion = '2015-04-05';
const firstServicePrefixVersion = '2015-02-21';
const firstEncryptionScopeVersion = '2020-12-06';

/** What the signature of a service SAS of a table signs. */
function serviceStringToSign(account: string, token: SasToken): string {
  const field = (name: string): string => token.get(name) ?? '';
  const version = field('sv');
  const service = version >= firstServicePrefixVersion ? '/table' : '';
  const network = version >= firstNetworkVersion ? ['sip', 'spr'] : [];
  return [
    ...['sp', 'st', 'se'].map(field),
    `${service}/${account}/${field('tn').toLowerCase()}`,
    ...['si', ...network, 'sv', 'spk', 'srk', 'epk', 'erk'].map(field),
  ].join('\n');
}

/** What the signature of an account SAS signs; it ends with a line feed. */
function accountStringToSign(account: string, token: SasToken): string {
  const field = (name: string): string => token.get(name) ?? '';
  const scope = field('sv') >= firstEncryptionScopeVersion ? ['ses'] : [];
  const names = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv', ...scope];
  return `${[account, ...names.map(field)].join('\n')}\n`;
}

/** The parameters with their signature, percent-encoded, for an address. Absent ones are left away. */
export function signSas(account: Account, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = new Map(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const text = (given.has('tn') ? serviceStringToSign : accountStringToSign)(account.name, given);
  given.set('sig', sign(account.keys[0] as Account['keys'][0], text));
  return [...given].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/**
 * Throws AuthenticationFailed for a token that is not signed by the account, incomplete, not in effect, or
 * names a policy that is not there; AuthorizationProtocolMismatch, AuthorizationSourceIPMismatch or
 * AuthorizationServiceMismatch for one that is good elsewhere.
 */
export async function verifySas(token: SasToken, context: SasContext): Promise<Grant> {
  if (!isWellFormedVersion(token.get('sv') ?? '')) throw authenticationFailed('the SAS has no version, sv');
  const isOfAccount = token.get('ss') !== undefined || token.get('srt') !== undefined;
  return isOfAccount ? verifyAccountSas(token, context) : verifyServiceSas(token, context);
}

function verifyAccountSas(token: SasToken, context: SasContext): Grant {
  if ((token.get('sv') ?? '') < firstNetworkVersion) {
    throw authenticationFailed(`there is no account SAS before ${firstNetworkVersion}`);
  }
  checkSignature(token, context, accountStringToSign(context.account.name, token));
  const permissions = required('sp', token.get('sp'));
  checkTimes(token.get('st'), required('se', token.get('se')), context.nowMs);
  const services = required('ss', token.get('ss'));
  const resourceTypes = required('srt', token.get('srt'));
  if (!services.includes(context.serviceLetter)) throw new ServiceError('AuthorizationServiceMismatch');
  checkNetwork(token, context);
  return { by: 'account SAS', permissions, resourceTypes };
}

async function verifyServiceSas(token: SasToken, context: SasContext): Promise<Grant> {
  const table = required('tn', token.get('tn'));
  checkSignature(token, context, serviceStringToSign(context.account.name, token));
  const id = token.get('si');
  const policy = id ? await context.readAccessPolicy(table, id) : undefined;
  if (id && policy === undefined) throw authenticationFailed(`the table has no access policy '${id}'`);
  const permissions = required('sp', only('sp', token, policy?.permissions));
  if (!/^[raud]+$/.test(permissions)) throw authenticationFailed('sp has other letters than r, a, u and d');
  const expiry = required('se', only('se', token, policy?.expiry));
  checkTimes(only('st', token, policy?.start), expiry, context.nowMs);
  if ((token.get('sv') ?? '') >= firstNetworkVersion) checkNetwork(token, context);
  const bound = (name: string): string | undefined => token.get(name);
  if (bound('spk') === undefined && bound('srk') !== undefined) throw authenticationFailed('srk needs spk');
  if (bound('epk') === undefined && bound('erk') !== undefined) throw authenticationFailed('erk needs epk');
  return {
    by: 'service SAS',
    permissions,
    table,
    startPartitionKey: bound('spk'),
    startRowKey: bound('srk'),
    endPartitionKey: bound('epk'),
    endRowKey: bound('erk'),
  };
}

/** Base64 has no spaces: where there is one, somebody forgot to encode a plus. */
function checkSignature(token: SasToken, { account }: SasContext, text: string): void {
  const signature = (token.get('sig') ?? '').replaceAll(' ', '+');
  if (isSigned(account.keys, signature, text)) return;
  throw authenticationFailed(`sig is not made with a key of the account over ${JSON.stringify(text)}`);
}

function required(name: string, value: string | undefined): string {
  if (!value) throw authenticationFailed(`the SAS lacks ${name}`);
  return value;
}

/** From the token or from the policy, not from both. */
function only(name: string, token: SasToken, ofPolicy: string | undefined): string | undefined {
  const ofToken = token.get(name) || undefined;
  if (ofToken !== undefined && ofPolicy !== undefined) {
    throw authenticationFailed(`${name} stands both in the SAS and in its access policy`);
  }
  return ofToken ?? ofPolicy;
}

function checkTimes(start: string | undefined, expiry: string, nowMs: number): void {
  const now = ticksFromMs(nowMs);
  if (start && now < readTime('st', start)) throw authenticationFailed(`the SAS begins at ${start}`);
  if (now >= readTime('se', expiry)) throw authenticationFailed(`the SAS expired at ${expiry}`);
}

function readTime(name: string, text: string): Ticks {
  const ticks = parseTicks(text);
  if (ticks === undefined) throw authenticationFailed(`${name} of the SAS is not a time`);
  return ticks;
}

function checkNetwork(token: SasToken, { isSecure, clientAddress = '' }: SasContext): void {
  const protocol = token.get('spr') || 'https,http';
  if (protocol !== 'https' && protocol !== 'https,http') throw authenticationFailed('spr is not a protocol');
  if (protocol === 'https' && !isSecure) throw new ServiceError('AuthorizationProtocolMismatch');
  const range = token.get('sip');
  if (range && !isAddressIn(range, clientAddress)) {
    throw new ServiceError(
      'AuthorizationSourceIPMismatch',
      `This request is not authorized to perform this operation using this source IP ${clientAddress}.`,
    );
  }
}
