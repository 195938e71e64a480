import type { Grant, Needs } from '../auth/grant.ts';
import { ServiceError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { type Format, isJson, type MetadataLevel } from '../http/media-type.ts';
import type { Query } from '../http/query.ts';
import { firstJsonVersion } from '../http/version.ts';
import type { Store } from '../store/store.ts';
import { type Resource, tableNamed } from './resource.ts';
import type { Intent } from './transition.ts';

/** Of this service among those of an account. */
export const serviceName = 'table';

/** One call of an operation: a request of its own, or one inside a batch. */
export interface TableRequest {
  readonly id: string;
  /** When it came: milliseconds since 1970. */
  readonly nowMs: number;
  /** What the caller may do. */
  readonly grant: Grant;
  /** After X-HTTP-Method. */
  readonly method: string;
  readonly account: string;
  /** Whether it came to the secondary address, which only reads. */
  readonly isSecondary: boolean;
  /** Base address of the account, without a slash at its end. */
  readonly base: string;
  readonly accountSegment: string | undefined;
  readonly resource: Resource;
  readonly query: Query;
  readonly format: Format;
  readonly version: string;
  readonly body: Buffer;
  /** Whether the client has gone and nobody waits for the answer. */
  isAbandoned(): boolean;
  header(name: string): string | undefined;
}

/** One operation of the REST API. */
export interface Operation {
  /** As the REST documentation calls it: names logs and metrics. */
  readonly name: string;
  readonly needs: Needs;
  run(request: TableRequest, store: Store<Intent>): Promise<Answer>;
}

/** The address of one entity, which the routes guarantee. */
export function entityOf(request: TableRequest): Resource & { kind: 'entity' } {
  if (request.resource.kind !== 'entity') throw new Error('routed without an entity');
  return request.resource;
}

/** The table that the address names, which the routes guarantee. */
export function tableOf(request: TableRequest): string {
  const table = tableNamed(request.resource);
  if (table === undefined) throw new Error('routed without a table');
  return table;
}

/**
 * The level of an answer that has a body (REST: Payload Format). Throws AtomFormatNotSupported and its
 * relatives for what is not JSON.
 */
export function requireJson({ format, version }: TableRequest): MetadataLevel {
  if (isJson(format)) {
    if (version < firstJsonVersion) throw new ServiceError('JsonFormatNotSupported');
    return format;
  }
  throw new ServiceError(format === 'verbose' ? 'JsonVerboseFormatNotSupported' : 'AtomFormatNotSupported');
}

const jsonType = 'application/json';

/**
 * Throws AtomFormatNotSupported or MediaTypeNotSupported for a body that is not JSON, JsonFormatNotSupported
 * where the version has none. A body of no type is taken as JSON.
 */
export function requireJsonBody(request: TableRequest): void {
  const header = request.header('content-type');
  const type = header === jsonType ? header : header?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || type === '' || type === jsonType) {
    if (request.version < firstJsonVersion) throw new ServiceError('JsonFormatNotSupported');
    return;
  }
  throw new ServiceError(
    type === 'application/atom+xml' ? 'AtomFormatNotSupported' : 'MediaTypeNotSupported',
  );
}

export type Preference = 'return-content' | 'return-no-content' | undefined;

/** What a Prefer header asks for (REST: Setting the Prefer Header); undefined where it says nothing that counts. */
export function preferenceOf(header: string | undefined): Preference {
  const preference = header?.trim();
  return preference === 'return-content' || preference === 'return-no-content' ? preference : undefined;
}

/** Preference-Applied stands on errors, too (recorded). */
export function preferenceHeaders(preference: Preference): Record<string, string> {
  return preference === undefined ? {} : { 'Preference-Applied': preference };
}
