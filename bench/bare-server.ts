/**
 * The least that an HTTP server in Node can do for the same answers: no signature, no parsing, no protocol.
 * A point read answers captured bytes without looking anything up; a write reads its body and waits for one
 * durable put of a row of equal size (or one remove, or one transaction of a hundred); a query copies the rows that it
 * finds in LMDB into one buffer. Answers of one turn of the event loop go out together, as ours do: a server that
 * writes each at once wakes its clients one by one, and would be a ceiling that is easily reached.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerJobs } from './child.ts';
import {
  type Layout,
  partitionKeyOffset,
  partitionRows,
  rowKeyOf,
  rowKeyOffset,
  rowKeyUnits,
  scanPartitionKey,
} from './entities.ts';
import type { CapturedAnswer } from './load.ts';
import { type RowRange, Rows } from './rows.ts';
import { matchingRows, rangeRows, transactionRows, type WorkloadName } from './workloads.ts';

export type BareServerJob =
  | { kind: 'load'; path: string; layout: Layout }
  | { kind: 'listen'; answers: Record<WorkloadName, CapturedAnswer> };

interface CannedAnswer {
  status: number;
  /** Names and values in turn, which is what Node writes fastest. */
  headers: string[];
  body: Buffer;
}

const notFound: CannedAnswer = { status: 404, headers: [], body: Buffer.alloc(0) };

/** Node writes these itself. */
const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function can(captured: CapturedAnswer): CannedAnswer {
  const headers: string[] = [];
  for (const line of captured.head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    if (!ownHeaders.has(name.toLowerCase())) headers.push(name, line.slice(colon + 1).trim());
  }
  return { status: captured.status, headers, body: Buffer.from(captured.bodyBase64, 'base64') };
}

const partitionKeyUnits = scanPartitionKey.length;

class BareServer {
  readonly #rows: Rows;
  readonly #answers: Record<WorkloadName, CannedAnswer>;
  /** What a page has before its first row. */
  readonly #pageOpening: Buffer;

  constructor(rows: Rows, answers: Record<WorkloadName, CannedAnswer>) {
    this.#rows = rows;
    this.#answers = answers;
    const page = answers.page.body;
    this.#pageOpening = page.subarray(0, page.indexOf('[') + 1);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'GET') {
      this.#read(request.url!, response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      void this.#write(request, body, response);
    });
  }

  #read(url: string, response: ServerResponse): void {
    if (url.includes("(PartitionKey='")) {
      answer(response, this.#answers['point-read'], this.#answers['point-read'].body);
      return;
    }
    const partitionKey = between(url, 'PartitionKey%20eq%20', partitionKeyUnits);
    if (url.includes('Bucket')) {
      const bucket = Number(url.slice(-2));
      const body = this.#copy({ partitionKey }, matchingRows, position => position % 100 === bucket);
      answer(response, this.#answers['filtered-scan'], body);
    } else if (url.includes('RowKey')) {
      const fromRowKey = between(url, 'RowKey%20ge%20', rowKeyUnits);
      const toRowKey = between(url, 'RowKey%20lt%20', rowKeyUnits);
      const body = this.#copy({ partitionKey, fromRowKey, toRowKey }, rangeRows, () => true);
      answer(response, this.#answers.range, body);
    } else {
      const body = this.#copy({ partitionKey }, partitionRows, () => true);
      answer(response, this.#answers.page, body);
    }
  }

  #copy(range: RowRange, rowsMax: number, keeps: (position: number) => boolean): Buffer {
    const opening = this.#pageOpening;
    const rowBytesMax = this.#rows.valueBytes + 8;
    const body = Buffer.allocUnsafe(opening.length + rowsMax * rowBytesMax + 2);
    body.set(opening);
    let end = opening.length;
    this.#rows.iterate(range, (value, position) => {
      if (!keeps(position)) return;
      if (end > opening.length) {
        body[end] = 0x2c;
        end += 1;
      }
      body.set(value, end);
      end += value.length;
    });
    end += body.write(']}', end, 'latin1');
    return body.subarray(0, end);
  }

  async #write(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const url = request.url!;
    if (request.method !== 'POST') {
      const partitionKey = between(url, 'PartitionKey=', partitionKeyUnits);
      const rowKey = between(url, 'RowKey=', rowKeyUnits);
      if (request.method === 'DELETE') {
        const wasThere = await this.#rows.remove(partitionKey, rowKey);
        answer(response, wasThere ? this.#answers.delete : notFound);
        return;
      }
      await this.#rows.put(partitionKey, rowKey);
      answer(response, this.#answers[request.method === 'PUT' ? 'upsert' : 'merge']);
      return;
    }
    const isTransaction = url.endsWith('$batch');
    const entity = isTransaction ? body.indexOf('{"PartitionKey"') : 0;
    const keyAt = entity + partitionKeyOffset;
    const partitionKey = body.toString('latin1', keyAt, keyAt + partitionKeyUnits);
    const rowKey = body.toString('latin1', entity + rowKeyOffset, entity + rowKeyOffset + rowKeyUnits);
    if (isTransaction) {
      const first = Number(rowKey);
      const rowKeys = Array.from({ length: transactionRows }, (_, row) => rowKeyOf(first + row));
      await this.#rows.putAll(partitionKey, rowKeys);
      answer(response, this.#answers.transaction, this.#answers.transaction.body);
    } else {
      await this.#rows.put(partitionKey, rowKey);
      answer(response, this.#answers.insert);
    }
  }
}

/** The quoted value of a known length after a name. */
function between(text: string, name: string, units: number): string {
  const start = text.indexOf(name) + name.length + 1;
  return text.slice(start, start + units);
}

interface Answer {
  response: ServerResponse;
  canned: CannedAnswer;
  body: Buffer | undefined;
}

/** The answers of this turn of the event loop. */
let unsent: Answer[] = [];

function answer(response: ServerResponse, canned: CannedAnswer, body?: Buffer): void {
  if (unsent.length === 0) setImmediate(sendAnswers);
  unsent.push({ response, canned, body });
}

function sendAnswers(): void {
  const answers = unsent;
  unsent = [];
  for (const { response, canned, body } of answers) {
    response.writeHead(canned.status, [...canned.headers, 'Content-Length', String(body?.length ?? 0)]);
    response.end(body);
  }
}

let rows: Rows | undefined;

async function listen(answers: Record<WorkloadName, CapturedAnswer>): Promise<{ port: number }> {
  const canned = Object.fromEntries(
    Object.entries(answers).map(([name, captured]) => [name, can(captured)]),
  ) as Record<WorkloadName, CannedAnswer>;
  const bare = new BareServer(rows!, canned);
  const server = createServer((request, response) => bare.handle(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

answerJobs<BareServerJob>(async job => {
  if (job.kind === 'listen') return await listen(job.answers);
  rows ??= new Rows(job.path);
  await rows.load(job.layout);
  return {};
});
