import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';
import type { Decide, Store, TableAddress } from '../store/store.ts';
import { formatProperties, formatRow, readTick } from '../table/entity/row.ts';
import type { Ticks } from '../ticks.ts';
import type { StoredEntity } from './stored-entity.ts';

/**
 * What one round of writes holds at most: as much as it can, since partitions may come interleaved and each round
 * writes to all of them, but no more than a store queues at once.
 */
const roundEntitiesMax = 20_000;
const roundGroupsMax = limits.queuedWritesMax / 2;
const roundBytesMax = limits.queuedWriteBytesMax / 2;

/** A table of the store. What this import made may keep the emulator's Timestamps. */
export interface Target {
  readonly address: TableAddress;
  readonly isNew: boolean;
}

/** Told of each entity, once it is known what became of it. */
export interface InsertListener {
  onInserted(count: number): void;
  /** It was there before and stays as it is: the same, or with other properties. */
  onPresent(address: TableAddress, entity: StoredEntity, isSame: boolean): void;
}

/** An entity to insert, with its properties as the row will hold them. */
export interface Candidate {
  readonly entity: StoredEntity;
  readonly text: string;
  /** Whether the row keeps the Timestamp of the entity, if it has one. */
  readonly keepsTick: boolean;
}

/** The rule of stores that are imported into: inserts all entities, or refuses where one is there. */
export const decideInserts: Decide<Candidate> = (candidates, current, tick) => {
  if (current.some(row => row !== undefined)) return new ServiceError('EntityAlreadyExists');
  return candidates.map(({ entity, text, keepsTick }) => {
    // A Timestamp may be older than this write, never newer: what comes after must be later than it.
    const isKept = keepsTick && entity.tick !== undefined && entity.tick < tick;
    return formatRow(entity.key, isKept ? (entity.tick as Ticks) : tick, text);
  });
};

/** Entities that one call of the store writes: of one partition, each key once. */
interface Group {
  readonly target: Target;
  readonly partitionKey: string;
  readonly candidates: Map<string, Candidate>;
  bytes: number;
}

/** Entities that are inserted together, so that a few flushes to disk serve them all. */
export class InsertRound {
  readonly #store: Store<Candidate>;
  readonly #listener: InsertListener;
  readonly #groups: Group[] = [];
  /** The group of each partition that still takes entities. */
  readonly #open = new Map<string, Group>();
  #entities = 0;
  #bytes = 0;

  constructor(store: Store<Candidate>, listener: InsertListener) {
    this.#store = store;
    this.#listener = listener;
  }

  get isFull(): boolean {
    return (
      this.#entities >= roundEntitiesMax ||
      this.#groups.length >= roundGroupsMax ||
      this.#bytes >= roundBytesMax
    );
  }

  add(target: Target, entity: StoredEntity): void {
    const { partitionKey, rowKey } = entity.key;
    const { account, table } = target.address;
    const partition = `${account}/${table}/${partitionKey}`;
    let group = this.#open.get(partition);
    // The same key once more has to find the first one written.
    const isClosed =
      group === undefined ||
      group.candidates.size >= limits.transactionOperationsMax ||
      group.candidates.has(rowKey);
    if (group === undefined || isClosed) {
      group = { target, partitionKey, candidates: new Map(), bytes: 0 };
      this.#groups.push(group);
      this.#open.set(partition, group);
    }
    const text = formatProperties(entity.properties);
    group.candidates.set(rowKey, { entity, text, keepsTick: target.isNew });
    group.bytes += text.length;
    this.#entities++;
    this.#bytes += text.length;
  }

  async write(): Promise<void> {
    await Promise.all(this.#groups.map(group => this.#writeGroup(group)));
  }

  /** Inserts what is not there. What is there stays as it is: a first call finds it, a second goes without it. */
  async #writeGroup({ target, partitionKey, candidates: all, bytes }: Group): Promise<void> {
    let candidates = [...all.values()];
    while (candidates.length > 0) {
      const rowKeys = candidates.map(({ entity }) => entity.key.rowKey);
      try {
        await this.#store.mutate(target.address, partitionKey, rowKeys, candidates, bytes);
        this.#listener.onInserted(candidates.length);
        return;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'EntityAlreadyExists') throw error;
      }
      candidates = await this.#withoutPresent(target.address, candidates);
    }
  }

  /** Tells of those that are there, and gives the others. */
  async #withoutPresent(address: TableAddress, candidates: readonly Candidate[]): Promise<Candidate[]> {
    const absent: Candidate[] = [];
    for (const candidate of candidates) {
      const { entity, text } = candidate;
      const isSame = await this.#store.read(address, entity.key, row =>
        formatRow(entity.key, readTick(row), text).equals(row),
      );
      if (isSame === undefined) absent.push(candidate);
      else this.#listener.onPresent(address, entity, isSame);
    }
    return absent;
  }
}
