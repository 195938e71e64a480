import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTableName, isTableName } from '../../src/table/table-name.ts';

describe('the name of a table', () => {
  it('may have 3 to 63 letters and digits, a letter first', () => {
    for (const name of ['abc', 'ABC', 'a12', 'Tables1', 'x'.repeat(63)]) {
      checkTableName(name);
      assert.equal(isTableName(name), true, name);
    }
  });

  it('is refused with OutOfRangeInput for its length, before its characters', () => {
    for (const name of ['', 'ab', '1', '-'.repeat(64), 'x'.repeat(64)]) {
      assert.throws(
        () => checkTableName(name),
        {
          code: 'OutOfRangeInput',
          message: 'The specified resource name length is not within the permissible limits.',
        },
        name,
      );
      assert.equal(isTableName(name), false, name);
    }
  });

  it('is refused with InvalidResourceName for its characters', () => {
    for (const name of ['my_table', '1abc', 'a-b', 'a b', 'täble', 'abc\n', "ab'c", '$MetricsX']) {
      assert.throws(() => checkTableName(name), { code: 'InvalidResourceName' }, name);
      assert.equal(isTableName(name), false, name);
    }
  });

  it('is refused with InvalidInput where it is reserved, in any case', () => {
    for (const name of ['tables', 'Tables', 'TABLES']) {
      assert.throws(() => checkTableName(name), { code: 'InvalidInput' }, name);
    }
  });
});
