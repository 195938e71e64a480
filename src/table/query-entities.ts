import { bodyBytes } from '../http/answer.ts';
import { jsonContentType, type MetadataLevel } from '../http/media-type.ts';
import * as limits from '../limits.ts';
import type { Key, KeyRange } from '../store/key.ts';
import type { Page } from '../store/store.ts';
import { decodeToken, encodeToken } from './continuation.ts';
import { projectorOf } from './entity/project.ts';
import { matchRow } from './filter/match-row.ts';
import type { FilterNode } from './filter/nodes.ts';
import { parseFilter } from './filter/parse-filter.ts';
import { clipRanges, planQuery } from './filter/plan.ts';
import { type Operation, requireJson, type TableRequest, tableOf } from './request.ts';
import { parseSelect, parseTop, refuseLackingOptions, selectSuffix } from './select.ts';
import { signedRange } from './signed-range.ts';
import { entityUrls, metadataUrl } from './urls.ts';

/**
 * A page of entities (REST: Query Entities). It ends at `$top`, and at the limits of a page; the tokens name
 * the first entity of the next one.
 */
export const queryEntities: Operation = {
  name: 'QueryEntities',
  needs: { permissions: ['r'], resource: 'object' },
  async run(request, store) {
    const level = requireJson(request);
    refuseLackingOptions(request.query);
    const table = tableOf(request);
    const selectText = request.query.get('$select');
    const select = parseSelect(selectText);
    const top = parseTop(request.query.get('$top'));
    const plan = planQuery(readFilter(request));
    const from = readToken(request);
    const ranges = [signedRange(request.grant), from && { from }].reduce<readonly KeyRange[]>(
      (left, bounds) => (bounds === undefined ? left : clipRanges(left, bounds)),
      plan.ranges,
    );
    const urls = entityUrls(request.base, request.account, table);
    const page: Page = await store.scan({ account: request.account, table }, ranges, {
      limit: top,
      bytesMax: limits.pageBytesMax,
      durationMsMax: limits.pageDurationMsMax,
      matches: plan.residual && matchRow(plan.residual),
      project: projectorOf({ level, select }, urls),
      isAbandoned: request.isAbandoned,
    });
    return {
      status: 200,
      headers: answerHeaders(level, top === 0 ? undefined : page.next),
      body: formatFeed(
        page.rows,
        level === 'none' ? undefined : metadataUrl(request.base, table, false, selectSuffix(selectText)),
      ),
      cost: {
        class: plan.class,
        examined: page.examined,
        returned: page.rows.length,
        end: page.end,
        searchedTable: plan.residual !== undefined && from === undefined ? table : undefined,
      },
    };
  },
};

/** An address with a partition key alone, as the design guide writes it, is that partition's query. */
function readFilter({ query, resource }: TableRequest): FilterNode | undefined {
  const filter = parseFilter(query.get('$filter') ?? '');
  if (resource.kind !== 'entities' || resource.partitionKey === undefined) return filter;
  const inPartition: FilterNode = {
    kind: 'comparison',
    property: 'PartitionKey',
    operator: 'eq',
    literal: { type: 'Edm.String', value: resource.partitionKey },
  };
  return filter === undefined ? inPartition : { kind: 'and', left: inPartition, right: filter };
}

/** Without a row key, the page begins at the start of the partition. */
function readToken({ query }: TableRequest): Key | undefined {
  const partitionKey = query.get('NextPartitionKey');
  if (partitionKey === undefined || partitionKey === '') return undefined;
  const rowKey = query.get('NextRowKey') || undefined;
  return {
    partitionKey: decodeToken(partitionKey),
    rowKey: rowKey === undefined ? '' : decodeToken(rowKey),
  };
}

function answerHeaders(level: MetadataLevel, next: Key | undefined): Record<string, string> {
  if (next === undefined) return { 'Content-Type': jsonContentType(level) };
  const { partitionKey, rowKey } = next;
  return {
    'Content-Type': jsonContentType(level),
    'x-ms-continuation-NextPartitionKey': encodeToken(partitionKey),
    'x-ms-continuation-NextRowKey': encodeToken(rowKey),
  };
}

const feedEnd = Buffer.from(']}');
const comma = 0x2c;
const commaBytes = Buffer.of(comma);
/** Up to here one buffer costs less than several. */
const joinedBytesMax = 64 * 1024;

function formatFeed(rows: readonly Buffer[], metadata: string | undefined): Buffer | readonly Buffer[] {
  const start =
    metadata === undefined ? '{"value":[' : `{"odata.metadata":${JSON.stringify(metadata)},"value":[`;
  const pieces = [Buffer.from(start), ...joinRows(rows), feedEnd];
  return bodyBytes(pieces) <= joinedBytesMax ? Buffer.concat(pieces) : pieces;
}

/** Rows with commas between them; those that lie so in memory, in one piece that is not copied. */
function joinRows(rows: readonly Buffer[]): Buffer[] {
  const pieces: Buffer[] = [];
  let first = rows[0];
  let last = first;
  if (first === undefined || last === undefined) return pieces;
  let memory = new Uint8Array(first.buffer);
  for (let index = 1; index < rows.length; index++) {
    const row = rows[index] as Buffer;
    const between = last.byteOffset + last.length;
    if (row.byteOffset !== between + 1 || row.buffer !== memory.buffer || memory[between] !== comma) {
      pieces.push(stretch(first, last), commaBytes);
      first = row;
      memory = new Uint8Array(row.buffer);
    }
    last = row;
  }
  pieces.push(stretch(first, last));
  return pieces;
}

/** From the first row to the end of the last one. */
function stretch(first: Buffer, last: Buffer): Buffer {
  return Buffer.from(first.buffer, first.byteOffset, last.byteOffset + last.length - first.byteOffset);
}
