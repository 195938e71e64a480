import { createHmac } from 'node:crypto';
import { developmentAccount } from '../../src/auth/accounts.ts';
import { withOption } from './calls.ts';
import type { RawRequest } from './raw-client.ts';

/**
 * Shared access signatures as a client makes them, written from the documentation of the tokens alone: the
 * server's own signing is not used here, so that the two check each other.
 */

/** Parameters of a token by their names in the address, without `sig`. */
export type SasParameters = Readonly<Record<string, string>>;

/** An hour from now, as tokens write times. */
export function hoursFromNow(hours: number): string {
  return `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
}

/** A token for a table: what the query of an address has behind the question mark. */
export function tableToken(table: string, parameters: SasParameters, key?: string): string {
  const whole = { sv: '2019-02-02', tn: table, ...parameters };
  return withSignature(whole, tableTextToSign(whole), key);
}

/** A token for the account; `ss` is the table service unless it is given. */
export function accountToken(parameters: SasParameters, key?: string): string {
  const whole = { sv: '2019-02-02', ss: 't', se: hoursFromNow(1), ...parameters };
  return withSignature(whole, accountTextToSign(whole), key);
}

/** REST: Create a service SAS, for tables; the fields changed with 2015-02-21 and 2015-04-05. */
function tableTextToSign(parameters: SasParameters): string {
  const { sp, st, se, si, sip, spr, sv = '', spk, srk, epk, erk, tn = '' } = parameters;
  const service = sv >= '2015-02-21' ? '/table' : '';
  const resource = `${service}/${developmentAccount.name}/${tn.toLowerCase()}`;
  const fields =
    sv >= '2015-04-05'
      ? [sp, st, se, resource, si, sip, spr, sv, spk, srk, epk, erk]
      : [sp, st, se, resource, si, sv, spk, srk, epk, erk];
  return fields.map(field => field ?? '').join('\n');
}

/** REST: Create an account SAS: each field is followed by a line end, the last one, too. */
function accountTextToSign(parameters: SasParameters): string {
  const { sp, ss, srt, st, se, sip, spr, sv = '', ses } = parameters;
  const fields = [developmentAccount.name, sp, ss, srt, st, se, sip, spr, sv];
  return [...fields, ...(sv >= '2020-12-06' ? [ses] : [])].map(field => `${field ?? ''}\n`).join('');
}

/** The parameters with their signature over a text, percent-encoded. */
export function withSignature(
  parameters: SasParameters,
  text: string,
  key: string = developmentAccount.key,
): string {
  const sig = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  return Object.entries({ ...parameters, sig })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

/** The request under a token, and under nothing else. */
export function underToken(request: RawRequest, token: string): RawRequest {
  return { ...withOption(request, token), sign: false };
}
