import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { checklist } from './checklist.ts';

describe('the checklist', () => {
  it('has one test for each assertion', () => {
    const folder = new URL('.', import.meta.url);
    const numbers = readdirSync(folder)
      .filter(name => name.endsWith('.test.ts'))
      .map(name => readFileSync(new URL(name, folder), 'utf8'))
      .flatMap(text => [...text.matchAll(/^\s*conforms\((\d+),/gm)].map(([, number]) => Number(number)));
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      checklist.map(({ number }) => number),
    );
  });
});
