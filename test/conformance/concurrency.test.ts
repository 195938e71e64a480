import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { change, insert, remove, useBatches } from '../support/batch.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { entityPath, json, noContent, useTable, useWire } from '../support/wire.ts';
import { assertError, refusals, timestampOf } from './answers.ts';
import { conforms } from './conforms.ts';

const rounds = 20;
const conflict = {
  status: '409 Conflict',
  code: 'EntityAlreadyExists',
  message: 'The specified entity already exists.',
};

/** All of one length: of such texts the later time is the greater. */
function sortable(timestamp: string): string {
  return timestamp.replace(/(?:\.(\d+))?Z$/, (_, fraction = '') => `.${fraction.padEnd(7, '0')}Z`);
}

describe('Concurrency and time', () => {
  const wire = useWire();
  const { table, post } = useTable(wire);
  const batches = useBatches(wire);
  const pathOf = async (rowKey: string): Promise<string> => entityPath(await table(), 'p', rowKey);
  const write = async (
    method: string,
    rowKey: string,
    body: string,
    ifMatch?: string,
  ): Promise<RawResponse> =>
    wire.send({
      method,
      path: await pathOf(rowKey),
      headers: ifMatch === undefined ? json : { ...json, 'If-Match': ifMatch },
      body,
    });
  const read = async (rowKey: string): Promise<RawResponse> => wire.send({ path: await pathOf(rowKey) });

  /** Every kind of successful write to one entity, deletions between them; the ETags as they were answered. */
  const writeInEveryWay = async (rowKey: string): Promise<string[]> => {
    const name = await table();
    const tags: string[] = [];
    const take = async (response: RawResponse): Promise<string> => {
      assert.ok(response.status === 204 || response.status === 201, response.body);
      const etag = response.headers.etag as string;
      assert.equal((await read(rowKey)).headers.etag, etag);
      tags.push(etag);
      return etag;
    };
    const takePart = async (operation: Parameters<typeof batches.run>[0][number]): Promise<void> => {
      const [part] = await batches.run([operation]);
      assert.equal(part?.status, 204);
      const etag = part?.headers.find(line => line.startsWith('ETag: '))?.slice('ETag: '.length) as string;
      assert.equal((await read(rowKey)).headers.etag, etag);
      tags.push(etag);
    };
    for (let round = 0; round < 4; round++) {
      const entity = { PartitionKey: 'p', RowKey: rowKey, n: 1 };
      await take(await post(entity, round % 2 === 0 ? json : noContent));
      await take(await write('PUT', rowKey, '{"n":1}', '*'));
      const etag = await take(await write('PUT', rowKey, '{"n":1}'));
      await take(await write('MERGE', rowKey, '{"n":1}', etag));
      await take(await write('PATCH', rowKey, '{}', '*'));
      await take(await write('MERGE', rowKey, '{"n":null}'));
      await takePart(change('PUT', name, rowKey, '{"n":1}', '*'));
      await takePart(change('MERGE', name, rowKey, '{}', tags.at(-1)));
      await takePart(change('PATCH', name, rowKey, '{}'));
      assert.equal((await write('DELETE', rowKey, '', '*')).status, 204);
      await takePart(insert(name, rowKey));
      assert.equal((await batches.run([remove(name, rowKey)]))[0]?.status, 204);
      await take(await write('PATCH', rowKey, '{}'));
      assert.equal((await write('DELETE', rowKey, '', '*')).status, 204);
    }
    return tags;
  };

  conforms(216, async () => {
    for (let round = 0; round < rounds; round++) {
      const rowKey = `216-${round}`;
      const etag = await wire.insert(await table(), { PartitionKey: 'p', RowKey: rowKey, winner: 'none' });
      const verbs = [
        ['PUT', 'PUT'],
        ['MERGE', 'MERGE'],
        ['PATCH', 'PUT'],
        ['PUT', 'MERGE'],
      ][round % 4] as [string, string];
      const responses = await Promise.all(
        verbs.map((verb, writer) => write(verb, rowKey, `{"winner":"${writer}"}`, etag)),
      );
      const winner = responses.findIndex(({ status }) => status === 204);
      const loser = responses[1 - winner] as RawResponse;
      assert.ok(winner >= 0, responses.map(({ body }) => body).join());
      await assertError(wire, loser, refusals.notSatisfied);
      const stored = await read(rowKey);
      assert.equal(stored.json().winner, `${winner}`);
      assert.equal(stored.headers.etag, responses[winner]?.headers.etag);
    }
    const rowKey = '216';
    const etag = await wire.insert(await table(), { PartitionKey: 'p', RowKey: rowKey });
    const many = await Promise.all(Array.from({ length: 16 }, () => write('MERGE', rowKey, '{}', etag)));
    assert.equal(many.filter(({ status }) => status === 204).length, 1);
    assert.equal(many.filter(({ status }) => status === 412).length, 15);
  });

  conforms(217, async () => {
    for (let round = 0; round < rounds; round++) {
      const rowKey = `217-${round}`;
      const responses = await Promise.all(
        [0, 1].map(writer => post({ PartitionKey: 'p', RowKey: rowKey, winner: `${writer}` })),
      );
      const winner = responses.findIndex(({ status }) => status === 201);
      assert.ok(winner >= 0, responses.map(({ body }) => body).join());
      await assertError(wire, responses[1 - winner] as RawResponse, conflict);
      assert.equal((await read(rowKey)).json().winner, `${winner}`);
    }
    const many = await Promise.all(
      Array.from({ length: 16 }, () => post({ PartitionKey: 'p', RowKey: '217' }, noContent)),
    );
    assert.equal(many.filter(({ status }) => status === 204).length, 1);
    assert.equal(many.filter(({ status }) => status === 409).length, 15);
  });

  conforms(218, async () => {
    const tags = await writeInEveryWay('218');
    const times = tags.map(tag => sortable(timestampOf(tag)));
    for (const [index, time] of times.slice(1).entries()) {
      assert.ok(time > (times[index] as string), `${tags[index + 1]} after ${tags[index]}`);
    }
    // As they are read, too, while others write.
    let last = '';
    for (let n = 0; n < 30; n++) {
      await Promise.all([1, 2, 3].map(() => write('MERGE', '218', `{"n":${n}}`)));
      const time = sortable((await read('218')).json().Timestamp as string);
      assert.ok(time > last, `${time} after ${last}`);
      last = time;
    }
  });

  conforms(219, async () => {
    const tags = await writeInEveryWay('219');
    assert.equal(tags.length, 4 * 11);
    assert.equal(new Set(tags).size, tags.length);
    const racing = await Promise.all(Array.from({ length: 16 }, () => write('PUT', '219', '{}')));
    const raced = racing.map(({ headers }) => headers.etag as string);
    assert.equal(new Set([...tags, ...raced]).size, tags.length + raced.length);
    // Refused writes leave it as it is.
    const { etag } = (await read('219')).headers;
    await write('PUT', '219', '{}', tags[0]);
    await post({ PartitionKey: 'p', RowKey: '219' });
    await write('MERGE', '219', '{');
    assert.equal((await read('219')).headers.etag, etag);
  });
});
