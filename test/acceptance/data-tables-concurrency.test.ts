import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RestError, type TransactionAction } from '@azure/data-tables';
import { collect, freshTable } from '../support/official-client.ts';
import { useServer } from '../support/server.ts';

const rounds = 10;
const racers = 8;
const key = { partitionKey: 'p', rowKey: 'r' };

/** How many of the calls succeeded, and the statuses of the others. */
async function raceOf(calls: readonly (() => Promise<unknown>)[]): Promise<{ won: number; lost: number[] }> {
  const outcomes = await Promise.allSettled(calls.map(call => call()));
  const lost = outcomes.flatMap(outcome => {
    if (outcome.status === 'fulfilled') return [];
    assert.ok(outcome.reason instanceof RestError);
    return [outcome.reason.statusCode as number];
  });
  return { won: outcomes.length - lost.length, lost };
}

/** Ticks of 100 ns, of a timestamp of any number of digits. */
function ticksOf(timestamp: string | undefined): bigint {
  const [seconds = '', fraction = ''] = (timestamp ?? '').replace('Z', '').split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 10_000n + BigInt(fraction.padEnd(7, '0'));
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe('writes that race, through the official client', () => {
  const server = useServer();

  for (const mode of ['Merge', 'Replace'] as const) {
    it(`have one winner where all of them have the same ETag: ${mode}`, async () => {
      const table = await freshTable(server);
      let { etag } = await table.createEntity(key);
      for (let round = 0; round < rounds; round++) {
        const condition = { etag: etag as string };
        const { won, lost } = await raceOf(
          times(racers, racer => () => table.updateEntity({ ...key, round, racer }, mode, condition)),
        );
        assert.equal(won, 1);
        assert.deepEqual(lost, Array(racers - 1).fill(412));
        const entity = await table.getEntity('p', 'r');
        assert.equal(entity.round, round);
        etag = entity.etag;
      }
    });
  }

  it('have one winner where all of them create the same entity', async () => {
    const table = await freshTable(server);
    for (let round = 0; round < rounds; round++) {
      const { won, lost } = await raceOf(
        times(racers, racer => () => table.createEntity({ partitionKey: 'p', rowKey: `r${round}`, racer })),
      );
      assert.equal(won, 1);
      assert.deepEqual(lost, Array(racers - 1).fill(409));
    }
  });

  it('have one winner where all of them delete the same entity', async () => {
    const table = await freshTable(server);
    for (let round = 0; round < rounds; round++) {
      const { etag } = await table.createEntity(key);
      const { won, lost } = await raceOf(
        times(racers, () => () => table.deleteEntity('p', 'r', { etag: etag as string })),
      );
      assert.equal(won, 1);
      assert.deepEqual(lost, Array(racers - 1).fill(404));
    }
  });

  it('lose no increment where each reads, adds and tries again', async () => {
    const table = await freshTable(server);
    await table.createEntity({ ...key, count: 0 });
    const increment = async (): Promise<void> => {
      for (;;) {
        const { etag, count } = await table.getEntity<{ count: number }>('p', 'r');
        try {
          await table.updateEntity({ ...key, count: count + 1 }, 'Replace', { etag });
          return;
        } catch (error) {
          assert.ok(error instanceof RestError && error.statusCode === 412);
        }
      }
    };
    await Promise.all(
      times(racers, async () => {
        for (let round = 0; round < 5; round++) await increment();
      }),
    );
    assert.equal((await table.getEntity('p', 'r')).count, racers * 5);
  });

  it('keep the properties of all where they merge different ones', async () => {
    const table = await freshTable(server);
    await Promise.all(times(50, index => table.upsertEntity({ ...key, [`p${index}`]: index }, 'Merge')));
    const entity: Record<string, unknown> = await table.getEntity('p', 'r');
    for (let index = 0; index < 50; index++) assert.equal(entity[`p${index}`], index);
  });

  it('are whole where they are transactions, for whoever reads meanwhile', async () => {
    const table = await freshTable(server);
    const write = (version: number) =>
      table.submitTransaction(
        times(
          20,
          (index): TransactionAction => [
            'upsert',
            { partitionKey: 'p', rowKey: `r${index}`, version },
            'Replace',
          ],
        ),
      );
    await write(0);
    let isDone = false;
    const writing = (async () => {
      for (let version = 1; version <= 30; version++) await write(version);
      isDone = true;
    })();
    while (!isDone) {
      const entities = await collect(table.listEntities({ queryOptions: { filter: "PartitionKey eq 'p'" } }));
      assert.equal(entities.length, 20);
      assert.equal(new Set(entities.map(({ version }) => version)).size, 1);
    }
    await writing;
  });
});

describe('timestamps, through the official client', () => {
  const server = useServer();

  it('increase with every write of an entity, also when it was deleted between', async () => {
    const table = await freshTable(server);
    let last = 0n;
    const etags = new Set<string>();
    const writes = [
      () => table.upsertEntity({ ...key, a: 1 }, 'Replace'),
      () => table.updateEntity({ ...key, a: 1 }, 'Merge'),
      () => table.updateEntity(key, 'Merge'),
      () => table.submitTransaction([['update', { ...key, a: 2 }, 'Replace']]),
      () => table.deleteEntity('p', 'r').then(() => table.createEntity(key)),
    ];
    for (let round = 0; round < 20; round++) {
      for (const write of writes) {
        await write();
        const { timestamp, etag } = await table.getEntity('p', 'r');
        assert.ok(ticksOf(timestamp) > last);
        last = ticksOf(timestamp);
        etags.add(etag);
      }
    }
    assert.equal(etags.size, 20 * writes.length);
  });

  it('differ for writes at the same time', async () => {
    const table = await freshTable(server);
    await Promise.all(times(100, index => table.createEntity({ partitionKey: 'p', rowKey: `r${index}` })));
    const entities = await collect(table.listEntities());
    assert.equal(new Set(entities.map(({ etag }) => etag)).size, 100);
  });
});
