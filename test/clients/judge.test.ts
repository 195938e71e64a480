import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from '../../clients/judge.ts';

describe('the judge of a client suite', () => {
  it('lets pass what told of its cases, of no failure, and of as many as are stated', () => {
    assert.deepEqual(judge('ok a\nok b\ncases: 2 passed, 0 failed\n', 2), { passed: 2, fault: undefined });
    assert.deepEqual(judge('ok a\r\ncases: 1 passed, 0 failed\r\n\r\n', 1), { passed: 1, fault: undefined });
  });

  for (const [what, output, fault] of [
    ['a case that failed', 'ok a\nnot ok b: x\ncases: 1 passed, 1 failed\n', /^1 of 2 cases failed$/],
    ['fewer cases than are stated', 'ok a\ncases: 1 passed, 0 failed\n', /^1 cases ran, and at least 2/],
    ['an end in the middle', 'ok a\nok b\n', /^it ended after 2 cases/],
    ['a count that is not that of its lines', 'ok a\nok b\ncases: 3 passed, 0 failed\n', /last line/],
    ['silence', '', /^it ended after 0 cases/],
  ] as const) {
    it(`finds ${what}`, () => assert.match(judge(output, 2).fault ?? '', fault));
  }
});
