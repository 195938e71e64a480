import { createHash } from 'node:crypto';
import type { WireAnswer } from './answer-reader.ts';
import { AskingClient } from './client.ts';
import { compose } from './compose.ts';
import type { Header } from './draft.ts';
import type { QueryOption } from './generate/queries.ts';
import { Random } from './random.ts';
import { accounts, type FuzzAccount, tableNames, type World } from './world.ts';

const table = 'keepsake';
const entities = 300;
const pageEntities = 128;

/**
 * Data that no case names: written before the first of them, and read again at the end, when every byte of
 * it, ETags and times included, must be what it was. In each account.
 */
export class Keepsake {
  readonly #world: World;
  #digest = '';

  constructor(world: World) {
    this.#world = world;
  }

  /** Makes the tables that cases share, too. */
  async write(): Promise<void> {
    for (const account of accounts) {
      for (const name of [table, ...tableNames]) {
        await this.#ask(account, 201, 'POST', '/Tables', [], JSON.stringify({ TableName: name }));
      }
      for (let index = 0; index < entities; index++) {
        await this.#ask(account, 201, 'POST', `/${table}`, [], entity(index));
      }
    }
    this.#digest = await this.#read();
  }

  /** Whether ordinary requests work, and all of it is there. */
  async check(): Promise<string | undefined> {
    try {
      const isSame = (await this.#read()) === this.#digest;
      for (const account of accounts)
        await this.#ask(account, 201, 'POST', `/${table}`, [], entity(entities));
      return isSame ? undefined : 'data written before the first case is not what it was';
    } catch (error) {
      return `an ordinary request fails: ${(error as Error).message}`;
    }
  }

  async #read(): Promise<string> {
    const hash = createHash('sha256');
    for (const account of accounts) {
      let token: QueryOption[] = [];
      do {
        const { headers, body } = await this.#ask(account, 200, 'GET', `/${table}()`, [
          ['$top', String(pageEntities)],
          ...token,
        ]);
        hash.update(body);
        token = (['NextPartitionKey', 'NextRowKey'] as const).flatMap((name): QueryOption[] => {
          const value = headers.get(`x-ms-continuation-${name.toLowerCase()}`);
          return value === undefined ? [] : [[name, encodeURIComponent(value)]];
        });
      } while (token.length > 0);
    }
    return hash.digest('hex');
  }

  async #ask(
    account: FuzzAccount,
    status: number,
    method: string,
    path: string,
    query: QueryOption[],
    body = '',
  ): Promise<WireAnswer> {
    const headers: Header[] = [
      ['Accept', 'application/json;odata=minimalmetadata'],
      ['Content-Type', 'application/json'],
      ['x-ms-version', '2019-02-02'],
      ['x-ms-date', new Date(this.#world.now()).toUTCString()],
    ];
    const request = compose(new Random('keepsake', 0), this.#world, {
      ...{ method, account, path, query, headers, body: Buffer.from(body), isSecondary: false },
      ...{
        style: 'path',
        framing: 'length',
        credentials: { kind: 'SharedKey', key: account.keys[0] as string },
      },
    });
    const client = new AskingClient(this.#world.port);
    const { answers, problem } = await client.ask(request);
    client.close();
    const [answer] = answers;
    if (answer?.status === status) return answer;
    throw new Error(
      `${method} ${path}: ${problem ?? `${answer?.status} ${answer?.body.toString().slice(0, 300)}`}`,
    );
  }
}

function entity(index: number): string {
  return JSON.stringify({
    PartitionKey: `p${index % 7}`,
    RowKey: `r${index}`,
    text: `${'日本 "\\ '.repeat(index % 50)}`,
    number: index,
    ratio: index / 7,
    flag: index % 2 === 0,
    'big@odata.type': 'Edm.Int64',
    big: String(2n ** 60n + BigInt(index)),
    'data@odata.type': 'Edm.Binary',
    data: Buffer.alloc(index * 3, index).toString('base64'),
  });
}
