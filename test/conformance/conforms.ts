import { it } from 'node:test';
import { checklist } from './checklist.ts';

/** The test of one assertion of the checklist, named by its number. */
export function conforms(number: number, check: () => void | Promise<void>): void {
  const assertion = checklist[number - 1];
  if (assertion?.number !== number) throw new RangeError(`the checklist has no assertion ${number}`);
  it(`${number}. [${assertion.operation}] ${assertion.text}`, check);
}
