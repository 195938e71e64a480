import { readFileSync } from 'node:fs';
import { type Case, compose } from './compose.ts';
import type { Draft, Header } from './draft.ts';
import type { QueryOption } from './generate/queries.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

/** What once went wrong, as seeds.json has it: requests to be signed anew, or the pieces of what is no request. */
interface KeptCase {
  readonly why: string;
  readonly requests?: readonly KeptRequest[];
  readonly pieces?: readonly string[];
}

interface KeptRequest {
  readonly method: string;
  /** Behind the account, percent-encoded. */
  readonly path: string;
  readonly query?: readonly QueryOption[];
  /** Beside Accept, version and date. */
  readonly headers?: readonly Header[];
  /** A character is a byte. */
  readonly body?: string;
  /** The body is filled up with spaces to this length. */
  readonly bodyBytes?: number;
  readonly framing?: Draft['framing'];
  /** Whether the signature is of no key. */
  readonly isForged?: boolean;
}

/** The cases of seeds.json, in their order: those of one entry need each other. */
export function keptCases(world: World): { readonly why: string; readonly made: Case }[] {
  const kept = JSON.parse(readFileSync(new URL('seeds.json', import.meta.url), 'utf8')) as KeptCase[];
  return kept.flatMap(({ why, requests = [], pieces }) => [
    ...requests.map(request => ({ why, made: composeKept(request, world) })),
    ...(pieces === undefined ? [] : [{ why, made: throwPieces(pieces) }]),
  ]);
}

function composeKept(request: KeptRequest, world: World): Case {
  const [account] = world.accounts;
  if (account === undefined) throw new Error('a world without accounts');
  const { method, path, query = [], headers = [], body = '', bodyBytes = 0, framing = 'length' } = request;
  const key = request.isForged === true ? 'AAAA' : (account.keys[0] as string);
  return compose(new Random('kept', 0), world, {
    ...{ method, account, path, query, framing, isSecondary: false, style: 'path' },
    headers: [
      ['Accept', 'application/json'],
      ['x-ms-version', '2019-02-02'],
      ['x-ms-date', new Date(world.now()).toUTCString()],
      ...headers,
    ],
    body: Buffer.from(body.padEnd(bodyBytes, ' '), 'latin1'),
    credentials: { kind: 'SharedKey', key },
  });
}

function throwPieces(pieces: readonly string[]): Case {
  return { pieces: pieces.map(piece => Buffer.from(piece, 'latin1')), manner: 'thrown', isHead: false };
}
