import type { Database, RootDatabase } from 'lmdb';
import { defaultServiceProperties, type ServiceProperties } from '../../account/service-properties.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The service properties of all accounts, held in memory, as each request asks for them. Whoever hears that they
 * were updated must call `refresh`.
 */
export class ServiceSettings {
  readonly #records: Database<ServiceProperties, string>;
  readonly #snapshot: Snapshot;
  #current: ReadonlyMap<string, ServiceProperties> = new Map();

  constructor(root: RootDatabase, snapshot: Snapshot) {
    this.#records = root.openDB({ name: 'services', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.#snapshot = snapshot;
    this.refresh();
  }

  read(account: string, service: string): ServiceProperties | undefined {
    return this.#current.get(nameOf(account, service));
  }

  /** Must run inside a write transaction. */
  update(account: string, service: string, changes: Partial<ServiceProperties>): void {
    const name = nameOf(account, service);
    this.#records.putSync(name, { ...(this.#records.get(name) ?? defaultServiceProperties), ...changes });
  }

  refresh(): void {
    const records = this.#records.getRange(this.#snapshot.options);
    this.#current = new Map([...records].map(({ key, value }) => [key, value]));
  }
}

/** Account names have letters and digits only. */
function nameOf(account: string, service: string): string {
  return `${account}/${service}`;
}
