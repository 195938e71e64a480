import { authorize } from '../auth/grant.ts';
import { ServiceError } from '../errors.ts';
import { splitTarget } from '../http/address.ts';
import { renderError } from '../http/error-body.ts';
import { type Format, isJson, jsonContentType, negotiateFormat } from '../http/media-type.ts';
import { readMethod } from '../http/method.ts';
import { type HttpPart, parseHttpPart, parseMultipart, readBoundary } from '../http/multipart.ts';
import { decodePercent, parseQuery } from '../http/query.ts';
import * as limits from '../limits.ts';
import type { Store } from '../store/store.ts';
import { ticksFromMs } from '../ticks.ts';
import { type BatchPart, formatBatch, formatChangeset } from './batch-response.ts';
import { entityWrites, findRoute } from './entity-writes.ts';
import { getEntity } from './get-entity.ts';
import { queryEntities } from './query-entities.ts';
import { type Operation, preferenceHeaders, preferenceOf, type TableRequest, tableOf } from './request.ts';
import { parsePath } from './resource.ts';
import { requireReach } from './signed-range.ts';
import type { Intent } from './transition.ts';
import type { EntityWrite } from './write-entity.ts';

/**
 * Up to 100 writes of one partition, all or none; or a single query (REST: Performing Entity Group
 * Transactions). The answer is 202 with the outcome inside, one part an operation, or one part for the
 * first that failed.
 */
export const entityGroupTransaction: Operation = {
  name: 'EntityGroupTransaction',
  needs: { permissions: ['r', 'a', 'u', 'd'], resource: 'object' },
  async run(outer, store) {
    const batch = readBatch(outer);
    if (batch.kind === 'query') {
      const part = await answerQuery(batch.part, outer, store);
      const { cost } = part.answer;
      return cost === undefined ? formatBatch([part]) : { ...formatBatch([part]), cost };
    }
    return formatBatch([formatChangeset(await answerChangeset(batch.parts, outer, store))]);
  },
};

type Batch =
  | { readonly kind: 'query'; readonly part: HttpPart }
  | { readonly kind: 'changeset'; readonly parts: readonly HttpPart[] };

/**
 * One change set, or one query: the service takes neither a second nor a mixture. Throws InvalidInput for a
 * body that is no batch; such errors are the outer request's.
 */
function readBatch(outer: TableRequest): Batch {
  const parts = parseMultipart(outer.body, requireBoundary(outer.header('content-type')));
  const [part] = parts ?? [];
  if (part === undefined || parts?.length !== 1) throw new ServiceError('InvalidInput');
  const type = part.headers.get('content-type');
  if (!type?.toLowerCase().startsWith('multipart/mixed')) {
    const query = requireHttp(part.content);
    if (query.method !== 'GET') throw new ServiceError('InvalidInput');
    return { kind: 'query', part: query };
  }
  const operations = parseMultipart(part.content, requireBoundary(type));
  if (operations === undefined || operations.length === 0) throw new ServiceError('InvalidInput');
  const writes = operations.map(({ content }) => requireHttp(content));
  if (writes.some(({ method }) => method === 'GET')) throw new ServiceError('InvalidInput');
  return { kind: 'changeset', parts: writes };
}

function requireHttp(content: Buffer): HttpPart {
  const part = parseHttpPart(content);
  if (part === undefined) throw new ServiceError('InvalidInput');
  return part;
}

function requireBoundary(contentType: string | undefined): string {
  const boundary = readBoundary(contentType);
  if (boundary === undefined) throw new ServiceError('InvalidInput');
  return boundary;
}

/** An operation inside a batch: its own address, headers and body; the account and credentials of the outer. */
function readRequest(part: HttpPart, outer: TableRequest, before: GroupWrite | undefined): TableRequest {
  const { resource, query } =
    part.target === before?.part.target ? before.request : readTarget(part.target, outer.accountSegment);
  return {
    ...outer,
    method: readMethod(part.method, part.headers.get('x-http-method')),
    resource,
    query,
    format: negotiateFormat(query.get('$format'), acceptOf(part, outer)),
    body: part.body,
    header: name => part.headers.get(name),
  };
}

function readTarget(
  target: string,
  accountSegment: string | undefined,
): Pick<TableRequest, 'resource' | 'query'> {
  const { path, query } = splitTarget(target);
  return {
    resource: parsePath(withoutAccount(decodePercent(path), accountSegment)),
    query: parseQuery(query),
  };
}

/** Of an operation that failed: what it asks for, else what the batch does; an unreadable address asks for nothing. */
function formatOf(part: HttpPart, outer: TableRequest): Format {
  let format: string | undefined;
  try {
    format = parseQuery(splitTarget(part.target).query).get('$format');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  return negotiateFormat(format, acceptOf(part, outer));
}

function acceptOf(part: HttpPart, outer: TableRequest): string | undefined {
  return part.headers.get('accept') ?? outer.header('accept');
}

function withoutAccount(path: string, segment: string | undefined): string {
  if (segment === undefined) return path;
  const prefix = `/${segment}`;
  return path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/** Echoed only where it stood among the HTTP headers (recorded). */
function contentIdOf({ headers }: HttpPart): string | undefined {
  return headers.get('content-id');
}

async function answerQuery(part: HttpPart, outer: TableRequest, store: Store<Intent>): Promise<BatchPart> {
  try {
    const request = readRequest(part, outer, undefined);
    const { kind } = request.resource;
    if (kind !== 'entity' && kind !== 'entities') throw new ServiceError('InvalidInput');
    const operation = kind === 'entity' ? getEntity : queryEntities;
    authorize(outer.grant, operation.needs, tableOf(request));
    const answer = await operation.run(request, store);
    return { answer, dataServiceVersion: '3.0;', contentId: contentIdOf(part) };
  } catch (error) {
    return errorPart(error, 0, part, outer);
  }
}

/** The parts of the answer: one an operation, or one in all for the first that failed. */
async function answerChangeset(
  parts: readonly HttpPart[],
  outer: TableRequest,
  store: Store<Intent>,
): Promise<BatchPart[]> {
  const writes: GroupWrite[] = [];
  const rowKeys = new Set<string>();
  for (const [index, part] of parts.entries()) {
    try {
      if (index >= limits.transactionOperationsMax) throw tooManyOperations();
      const write = readWrite(part, outer, writes.at(-1));
      if (!isSameGroup(writes[0] ?? write, write)) {
        throw new ServiceError('CommandsInBatchActOnDifferentPartitions');
      }
      if (rowKeys.has(write.intent.key.rowKey)) throw new ServiceError('InvalidDuplicateRow');
      rowKeys.add(write.intent.key.rowKey);
      writes.push(write);
    } catch (error) {
      // The operation too many is told with the index of the last allowed one (observed).
      return [errorPart(error, Math.min(index, limits.transactionOperationsMax - 1), part, outer)];
    }
  }
  const first = writes[0] as GroupWrite;
  try {
    const tick = await store.mutate(
      { account: outer.account, table: tableOf(first.request) },
      first.intent.key.partitionKey,
      [...rowKeys],
      writes.map(({ intent }) => intent),
      outer.body.length,
    );
    return writes.map(({ operation, intent, request, part }) => ({
      answer: operation.answer(request, intent, tick),
      dataServiceVersion: intent.verb === 'insert' ? '3.0;' : '1.0;',
      contentId: contentIdOf(part),
    }));
  } catch (error) {
    const index = error instanceof ServiceError ? (error.particulars.index ?? 0) : 0;
    return [errorPart(error, index, parts[index] as HttpPart, outer)];
  }
}

interface GroupWrite {
  readonly operation: EntityWrite;
  readonly request: TableRequest;
  readonly intent: Intent;
  readonly part: HttpPart;
}

function readWrite(part: HttpPart, outer: TableRequest, before: GroupWrite | undefined): GroupWrite {
  const request = readRequest(part, outer, before);
  const isConditional = request.header('if-match') !== undefined;
  const operation = findRoute(entityWrites, request.method, request.resource, isConditional);
  if (operation === undefined) throw new ServiceError('InvalidInput');
  authorize(outer.grant, operation.needs, tableOf(request));
  const intent = operation.read(request);
  requireReach(outer.grant, intent.key);
  return { operation, request, intent, part };
}

function isSameGroup(a: GroupWrite, b: GroupWrite): boolean {
  return (
    tableOf(a.request).toLowerCase() === tableOf(b.request).toLowerCase() &&
    a.intent.key.partitionKey === b.intent.key.partitionKey
  );
}

function tooManyOperations(): ServiceError {
  return new ServiceError(
    'InvalidInput',
    `The batch request operation exceeds the maximum ${limits.transactionOperationsMax} changes per change set.`,
  );
}

/** Throws on what is not the operation's own failure (a bug, a busy server): it is the outer request's. */
function errorPart(error: unknown, index: number, part: HttpPart, outer: TableRequest): BatchPart {
  if (!(error instanceof ServiceError) || error.status >= 500) throw error;
  const format = formatOf(part, outer);
  const shape = isJson(format) ? format : 'minimal';
  const answer = renderError(error.at(index), shape, outer.id, ticksFromMs(outer.nowMs));
  const preference = preferenceOf(part.headers.get('prefer'));
  return {
    answer: {
      ...answer,
      headers: {
        ...preferenceHeaders(preference),
        'Content-Type': jsonContentType(shape),
      },
    },
    dataServiceVersion: '3.0;',
    contentId: contentIdOf(part),
  };
}
