import type { AccessPolicy } from '../account/access-policy.ts';
import type { ServiceProperties } from '../account/service-properties.ts';
import { LmdbReader, openRoot } from '../store/lmdb/lmdb-reader.ts';
import type { ScanObserver, Store, TableAddress } from '../store/store.ts';
import type { Ticks } from '../ticks.ts';
import type { WriterLink } from './writer-link.ts';

/** The store as a worker has it: it reads the files itself, and has what is to be written written. */
export class WorkerStore<Intent> extends LmdbReader implements Store<Intent> {
  readonly #writer: WriterLink<Intent>;

  /** `folder` must have a store in it, which the writer makes. */
  constructor(
    folder: string,
    writer: WriterLink<Intent>,
    options: { readonly concurrentScansMax?: number; readonly observer?: ScanObserver } = {},
  ) {
    super(openRoot(folder, 'reads'), { isWrittenElsewhere: true, ...options });
    this.#writer = writer;
  }

  createTable(account: string, name: string): Promise<boolean> {
    return this.#writer.ask(['createTable', account, name], name.length);
  }

  deleteTable(account: string, name: string): Promise<boolean> {
    return this.#writer.ask(['deleteTable', account, name], name.length);
  }

  mutate(
    table: TableAddress,
    partitionKey: string,
    rowKeys: readonly string[],
    intents: readonly Intent[],
    bytes: number,
  ): Promise<Ticks> {
    return this.#writer.ask(['mutate', table, partitionKey, rowKeys, intents, bytes], bytes);
  }

  writeAccessPolicies(table: TableAddress, policies: readonly AccessPolicy[]): Promise<void> {
    return this.#writer.ask(['writeAccessPolicies', table, policies], 0);
  }

  updateServiceProperties(
    account: string,
    service: string,
    changes: Partial<ServiceProperties>,
  ): Promise<void> {
    return this.#writer.ask(['updateServiceProperties', account, service, changes], 0);
  }

  /** To be called once they may have been updated. */
  refreshServiceProperties(): void {
    this.settings.refresh();
  }

  override async close(): Promise<void> {
    this.#writer.close();
    await super.close();
  }
}
