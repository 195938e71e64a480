import { AskingClient, type Outcome, throwAt } from './client.ts';
import type { Case } from './compose.ts';
import type { CaseName, Findings } from './findings.ts';
import { makeCase } from './generate/cases.ts';
import { judge } from './invariants.ts';
import { keptCases } from './kept-cases.ts';
import type { ServerProcess } from './server-process.ts';
import type { Tally } from './tally.ts';
import type { World } from './world.ts';

/** Cases under way at a time. */
const workers = 48;
/** More findings are no news. */
const findingsMax = 20;

/** Makes cases, sends them, and judges what comes of each. */
export class Fuzzer {
  readonly #server: ServerProcess;
  readonly #world: World;
  readonly #findings: Findings;
  readonly #tally: Tally;
  readonly #clients: readonly AskingClient[];
  /** The case that each client sent last: where it left its connection in disorder, the next one suffers. */
  readonly #before = new Map<AskingClient, number>();
  /** By their names: where the server dies, one of these was the cause. */
  readonly underWay = new Map<string, Case>();

  constructor(server: ServerProcess, world: World, findings: Findings, tally: Tally) {
    this.#server = server;
    this.#world = world;
    this.#findings = findings;
    this.#tally = tally;
    this.#clients = Array.from({ length: workers }, () => new AskingClient(world.port));
  }

  get isOver(): boolean {
    return !this.#server.isAlive || this.#findings.count >= findingsMax;
  }

  /** Cases of a seed from this number on, until then; answers the number behind the last. */
  async runUntil(untilMs: number, seed: string, firstCase: number): Promise<number> {
    let next = firstCase;
    const work = async (client: AskingClient): Promise<void> => {
      while (performance.now() < untilMs && !this.isOver) await this.runCase(seed, next++, client);
    };
    await Promise.all(this.#clients.map(work));
    return next;
  }

  async runCase(seed: string, caseNumber: number, client = this.#clients[0] as AskingClient): Promise<void> {
    const made = makeCase(seed, caseNumber, this.#world);
    const before = made.manner === 'asked' ? this.#before.get(client) : undefined;
    const again = `npm run test:fuzz -- --seed ${seed} --case ${caseNumber}`;
    await this.#run(made, client, { name: `${seed}-${caseNumber}`, again, before });
    if (made.manner === 'asked') this.#before.set(client, caseNumber);
  }

  /** What once went wrong, one after the other. */
  async runKept(): Promise<void> {
    for (const [index, { why, made }] of keptCases(this.#world).entries()) {
      if (this.isOver) return;
      const again = `kept because ${why}`;
      await this.#run(made, this.#clients[0] as AskingClient, {
        name: `kept-${index}`,
        again,
        before: undefined,
      });
    }
  }

  async #run(made: Case, client: AskingClient, name: CaseName): Promise<void> {
    this.underWay.set(name.name, made);
    const outcome = made.manner === 'asked' ? await client.ask(made) : await throwAt(this.#world.port, made);
    // Of a server that died, all cases that were under way have no answer: it is told once, elsewhere.
    if (!this.#server.isAlive) return;
    this.underWay.delete(name.name);
    this.#tally.count(outcome);
    const problem = outcome.problem ?? this.#judgeAll(outcome, made);
    if (problem !== undefined) this.#findings.add(problem, name, made, outcome, this.#server.log);
    this.#learn(outcome);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  #judgeAll({ answers }: Outcome, { isHead }: Case): string | undefined {
    for (const answer of answers) {
      const problem = judge(answer, isHead);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #learn({ answers }: Outcome): void {
    for (const { headers } of answers) {
      for (const kind of ['etag', 'NextPartitionKey', 'NextRowKey', 'NextTableName'] as const) {
        const name = kind === 'etag' ? kind : `x-ms-continuation-${kind.toLowerCase()}`;
        const value = headers.get(name);
        if (value !== undefined) this.#world.learned.remember(kind, value);
      }
    }
  }
}
