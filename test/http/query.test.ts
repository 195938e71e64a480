import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodePercent, parseQuery } from '../../src/http/query.ts';

describe('the query of an address', () => {
  it('gives back every name and value that was encoded', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(text, text, (name, value) => {
        const query = parseQuery(`x=y&${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
        assert.equal(query.get(name), name.toLowerCase() === 'x' ? 'y' : value);
      }),
    );
  });

  it('has plus signs for spaces', () => {
    assert.equal(parseQuery('$filter=RowKey+eq+%271%2B1%27').get('$filter'), "RowKey eq '1+1'");
  });

  it('finds a name in any case, encoded or not', () => {
    for (const text of ['$filter=a', '%24filter=a', '$FILTER=a', '%24Filter=a']) {
      assert.equal(parseQuery(text).get('$filter'), 'a', text);
      assert.equal(parseQuery(text).get('$Filter'), 'a', text);
    }
  });

  it('has an empty text for a name without a value, and nothing for a name that is not there', () => {
    const query = parseQuery('a&b=&c=d=e&&=f');
    assert.equal(query.get('a'), '');
    assert.equal(query.get('b'), '');
    assert.equal(query.get('c'), 'd=e');
    assert.equal(query.get('d'), undefined);
    assert.equal(parseQuery('').get('a'), undefined);
    assert.equal(parseQuery('a=b').get('__proto__'), undefined);
  });

  it('counts the first of two values', () => {
    assert.equal(parseQuery('comp=acl&COMP=list').get('comp'), 'acl');
  });

  it('is refused with InvalidInput where it is not UTF-8, percent-encoded', () => {
    for (const text of ['a=%', 'a=%4', 'a=%gg', 'a=%c3', '%ff=a']) {
      assert.throws(() => parseQuery(text), { code: 'InvalidInput' }, text);
    }
  });
});

describe('decodePercent', () => {
  it('decodes once', () => {
    assert.equal(decodePercent('%2520'), '%20');
    assert.equal(decodePercent('%2527'), '%27');
    assert.equal(decodePercent('a+b'), 'a+b');
  });
});
