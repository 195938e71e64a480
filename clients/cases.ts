/** The cases of a suite in JavaScript: they run one after the other and are told of as README.md says. */
import { inspect } from 'node:util';

interface Case {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const cases: Case[] = [];
const limitMs = 60_000;

/** A sentence about behaviour, and what shows it: rejects where it does not hold. */
export function behaviour(name: string, run: () => Promise<void>): void {
  if (cases.some(other => other.name === name)) throw new Error(`two cases are called: ${name}`);
  cases.push({ name, run });
}

/** Runs all; the process ends with 1 when one failed or when there are fewer than were stated. */
export async function runCases(casesMin: number): Promise<void> {
  let failed = 0;
  for (const { name, run } of cases) {
    try {
      await withinLimit(run());
      process.stdout.write(`ok ${name}\n`);
    } catch (error) {
      failed += 1;
      const account = accountOf(error);
      process.stdout.write(`not ok ${name}: ${account.split('\n', 1)[0]}\n`);
      process.stderr.write(`${name}\n${account}\n\n`);
    }
  }
  if (cases.length < casesMin) {
    process.stderr.write(`${cases.length} cases ran, and at least ${casesMin} are stated\n`);
  }
  process.stdout.write(`cases: ${cases.length - failed} passed, ${failed} failed\n`);
  if (failed > 0 || cases.length < casesMin) process.exitCode = 1;
}

/** What went wrong and where. The exceptions of an SDK may have anything for a message. */
function accountOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const message: unknown = error.message;
  const places = error.stack?.split('\n').filter(line => line.startsWith('    at ')) ?? [];
  return [
    typeof message === 'string' ? message : inspect(message, { breakLength: Infinity }),
    ...places,
  ].join('\n');
}

async function withinLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${limitMs / 1000} s`)), limitMs);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
