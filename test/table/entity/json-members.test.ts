import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseMembers } from '../../../src/table/entity/json-members.ts';

describe('the members of a JSON object', () => {
  it('keep the text of numbers, and the kind of every value', () => {
    assert.deepEqual(
      parseMembers('{"a":3.0,"b":-1E+2,"c":"3.0","d":true,"e":false,"f":null,"g":9007199254740993}')?.map(
        ({ name, kind, value, json }) => ({ name, kind, value, json }),
      ),
      [
        { name: 'a', kind: 'number', value: '3.0', json: '3.0' },
        { name: 'b', kind: 'number', value: '-1E+2', json: '-1E+2' },
        { name: 'c', kind: 'string', value: '3.0', json: '"3.0"' },
        { name: 'd', kind: 'boolean', value: 'true', json: 'true' },
        { name: 'e', kind: 'boolean', value: 'false', json: 'false' },
        { name: 'f', kind: 'null', value: 'null', json: 'null' },
        { name: 'g', kind: 'number', value: '9007199254740993', json: '9007199254740993' },
      ],
    );
  });

  it('are told where the text has them to the letter', () => {
    const text = '{"a":"b","c" : 1,"d":"\\u0041","\\u0065":2,"f":"\\n", "g":3}';
    assert.deepEqual(
      parseMembers(text)?.map(({ start, end }) => (start < 0 ? undefined : text.slice(start, end))),
      ['"a":"b"', undefined, undefined, undefined, '"f":"\\n"', '"g":3'],
    );
  });

  it('keep both of two members of one name', () => {
    assert.deepEqual(
      parseMembers('{"a":1,"a":2}')?.map(({ name, value }) => [name, value]),
      [
        ['a', '1'],
        ['a', '2'],
      ],
    );
  });

  it('are read with any white space around them', () => {
    assert.deepEqual(parseMembers(' \t\r\n{ "a" :\n1 , "b"\t: "c" } \n')?.length, 2);
    assert.deepEqual(parseMembers('{}'), []);
    assert.deepEqual(parseMembers(' { } '), []);
  });

  it('have their escapes decoded, in names too', () => {
    const [member] = parseMembers('{"\\u0061\\n":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"}') ?? [];
    assert.equal(member?.name, 'a\n');
    assert.equal(member?.value, '"\\/\b\f\n\r\té😀');
    assert.equal(member?.json, JSON.stringify(member?.value));
  });

  it('keep lone surrogates, escaped', () => {
    const [member] = parseMembers('{"a":"\\ud800x\\udc00"}') ?? [];
    assert.equal(member?.value, '\ud800x\udc00');
    assert.equal(member?.json, '"\\ud800x\\udc00"');
  });

  it('are what JSON.parse reads, for any names and texts', () => {
    const text = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
    });
    const value = fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, value)), members => {
        const object = `{${members.map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`).join(',')}}`;
        const read = parseMembers(object);
        assert.deepEqual(
          read?.map(({ name, json }) => [name, JSON.parse(json)]),
          members.map(([name, item]) => [name, JSON.parse(JSON.stringify(item))]),
        );
      }),
    );
  });

  it('are read from a text of megabytes', () => {
    const value = `${'x'.repeat(2_000_000)}\\n${'é'.repeat(1_000_000)}`;
    assert.equal(parseMembers(`{"a":"${value}"}`)?.[0]?.value.length, 3_000_001);
  });

  it('are none where the text is not JSON, not an object, or nests', () => {
    for (const text of [
      '',
      '[]',
      '"a"',
      '1',
      'null',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,}',
      '{,"a":1}',
      '{"a":1 "b":2}',
      '{"a":1}}',
      '{"a":1} x',
      '{a:1}',
      "{'a':1}",
      '{"a":01}',
      '{"a":1.}',
      '{"a":.5}',
      '{"a":+1}',
      '{"a":1e}',
      '{"a":NaN}',
      '{"a":Infinity}',
      '{"a":0x10}',
      '{"a":True}',
      '{"a":truee}',
      '{"a":"\n"}',
      '{"a":"\\x41"}',
      '{"a":"\\u12"}',
      '{"a":"b}',
      '{"a":{}}',
      '{"a":[1]}',
      '{"a":undefined}',
      '{/* */"a":1}',
    ]) {
      assert.equal(parseMembers(text), undefined, text);
    }
  });
});
