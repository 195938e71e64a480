import type { QueryOption } from './generate/queries.ts';
import type { FuzzAccount } from './world.ts';

export type Header = [name: string, value: string];

/** How a request proves who asks. */
export type Credentials =
  | { readonly kind: 'SharedKey' | 'SharedKeyLite'; readonly key: string }
  /** None, or a shared access signature, which is part of the query already. */
  | { readonly kind: 'none' }
  /** A value of Authorization that nothing vouches for. */
  | { readonly kind: 'forged'; readonly authorization: string };

/** A request in its parts, all as they are to be written, before it is signed and becomes bytes. */
export interface Draft {
  readonly method: string;
  readonly account: FuzzAccount;
  readonly isSecondary: boolean;
  /** Where the account stands: in the path, in the host, or in the path of an absolute target. */
  readonly style: 'path' | 'host' | 'absolute';
  /** Behind the account, percent-encoded. */
  readonly path: string;
  readonly query: readonly QueryOption[];
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** With `none` no body is sent, and no word of one. */
  readonly framing: 'length' | 'chunked' | 'none';
  readonly credentials: Credentials;
}
