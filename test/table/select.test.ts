import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSelect, parseTop, selectSuffix } from '../../src/table/select.ts';

describe('$select', () => {
  for (const [text, names] of [
    [undefined, undefined],
    ['', undefined],
    ['  ', undefined],
    [',', undefined],
    ['*', undefined],
    ['age,*', undefined],
    ['odata.etag', undefined],
    ['age', ['age']],
    ['age,sex', ['age', 'sex']],
    [' age , sex,, ', ['age', 'sex']],
    ['sex,age,sex', ['sex', 'age']],
    ['odata.etag,age', ['age']],
    ['age,Age', ['age', 'Age']],
  ] as const) {
    it(`of ${JSON.stringify(text)} names ${JSON.stringify(names) ?? 'all'}`, () => {
      assert.deepEqual(parseSelect(text), names);
    });
  }

  it('may name as many properties as an entity has, and no more', () => {
    const names = Array.from({ length: 256 }, (_, index) => `p${index}`);
    assert.equal(parseSelect(names.slice(0, 255).join(','))?.length, 255);
    assert.throws(() => parseSelect(names.join(',')), { code: 'InvalidInput' });
  });

  it('is repeated in odata.metadata as it was given, and empty for a blank one', () => {
    assert.equal(selectSuffix('age, sex'), 'age, sex');
    assert.equal(selectSuffix(' '), '');
    assert.equal(selectSuffix(''), undefined);
    assert.equal(selectSuffix(undefined), undefined);
  });
});

describe('$top', () => {
  it('is 0 to 1,000, and 1,000 where it is absent', () => {
    assert.equal(parseTop(undefined), 1000);
    for (const top of [0, 1, 999, 1000]) assert.equal(parseTop(String(top)), top);
  });

  it('is refused with InvalidInput where it is anything else', () => {
    for (const text of ['-1', '1001', '10000', '', ' ', 'ten', '1.5', '1e2', '0x10']) {
      assert.throws(() => parseTop(text), { code: 'InvalidInput' }, text);
    }
  });
});
