import type { Database, RootDatabase } from 'lmdb';
import type { ServiceProperties } from '../../account/service-properties.ts';

/** The service properties of all accounts, held in memory: each request asks, and only this process writes. */
export class ServiceSettings {
  readonly #records: Database<ServiceProperties, string>;
  #current: ReadonlyMap<string, ServiceProperties> = new Map();
  #isStale = true;

  constructor(root: RootDatabase) {
    this.#records = root.openDB({ name: 'services', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.refresh();
  }

  read(account: string, service: string): ServiceProperties | undefined {
    return this.#current.get(nameOf(account, service));
  }

  /** Must run inside a write transaction. */
  update(
    account: string,
    service: string,
    change: (current: ServiceProperties | undefined) => ServiceProperties,
  ): void {
    const name = nameOf(account, service);
    this.#isStale = true;
    this.#records.putSync(name, change(this.#records.get(name)));
  }

  /** To be called once an update is committed, or has failed. */
  refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#current = new Map([...this.#records.getRange()].map(({ key, value }) => [key, value]));
  }
}

/** Account names have letters and digits only. */
function nameOf(account: string, service: string): string {
  return `${account}/${service}`;
}
