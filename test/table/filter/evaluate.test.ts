import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluate, type Lookup } from '../../../src/table/filter/evaluate.ts';
import type { FilterNode, Value } from '../../../src/table/filter/nodes.ts';
import { parseFilter } from '../../../src/table/filter/parse-filter.ts';
import { parseTicks } from '../../../src/ticks.ts';

const entity: Record<string, Value> = {
  PartitionKey: { type: 'Edm.String', value: 'p' },
  RowKey: { type: 'Edm.String', value: '\uffff' },
  text: { type: 'Edm.String', value: 'bB' },
  empty: { type: 'Edm.String', value: '' },
  beyond: { type: 'Edm.String', value: '\u{10000}' },
  digits: { type: 'Edm.String', value: '123' },
  yes: { type: 'Edm.Boolean', value: true },
  no: { type: 'Edm.Boolean', value: false },
  int: { type: 'Edm.Int32', value: 3 },
  long: { type: 'Edm.Int64', value: 9007199254740993n },
  three: { type: 'Edm.Int64', value: 3n },
  double: { type: 'Edm.Double', value: 3 },
  half: { type: 'Edm.Double', value: 0.5 },
  nan: { type: 'Edm.Double', value: Number.NaN },
  infinite: { type: 'Edm.Double', value: Number.POSITIVE_INFINITY },
  when: { type: 'Edm.DateTime', value: parseTicks('2020-01-01T00:00:00.0000005Z') as bigint },
  id: { type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
  bytes: { type: 'Edm.Binary', value: Buffer.from([1, 2]) },
};
const lookup: Lookup = name => entity[name];

function matches(filter: string): boolean {
  return evaluate(parseFilter(filter) as FilterNode, lookup);
}

function assertMatches(...filters: string[]): void {
  for (const filter of filters) assert.equal(matches(filter), true, filter);
}

function assertMatchesNot(...filters: string[]): void {
  for (const filter of filters) assert.equal(matches(filter), false, filter);
}

describe('a comparison', () => {
  it('of strings is ordinal and heeds case', () => {
    assertMatches(
      "text eq 'bB'",
      "text gt 'b'",
      "text gt 'B'",
      "text lt 'bb'",
      "text ge 'b' and text lt 'c'",
    );
    assertMatchesNot("text eq 'BB'", "text lt 'a'", "text eq 'bB '");
    assertMatches("empty eq ''", "empty le ''", "empty lt 'a'", "text ne ''");
  });

  it('of strings is by UTF-16 code unit, of keys by code point', () => {
    assertMatches("beyond lt '\uffff'");
    assertMatches("RowKey lt '\u{10000}'");
  });

  it('of Booleans has false before true', () => {
    assertMatches('yes eq true', 'no lt true', 'yes gt false', 'no eq false', 'yes ge true', 'no ne true');
    assertMatchesNot('yes lt true', 'no gt false');
  });

  it('of numbers is exact', () => {
    assertMatches('int eq 3', 'int ne 4', 'int gt -3', 'int le 3', 'half gt 0.25', 'half eq 5e-1');
    assertMatches('long eq 9007199254740993L', 'long ne 9007199254740992L', 'long gt 9007199254740992L');
    assertMatches('infinite eq Infinity', 'infinite gt 1e308', 'double lt Infinity', 'double gt -Infinity');
  });

  it('promotes an Int32 literal to Int64 and Double, and an Int64 literal to Double', () => {
    assertMatches('three eq 3', 'three lt 4', 'double eq 3', 'half lt 1', 'double eq 3L', 'half gt 0L');
    assertMatches('double ne 4', 'three ne 4', 'double ge 3L');
    assertMatchesNot('three ne 3', 'double ne 3', 'double ne 3L', 'three gt 3');
  });

  it('of NaN is false but for ne', () => {
    for (const literal of ['NaN', '1.5', '1', '1L']) {
      assertMatches(`nan ne ${literal}`);
      assertMatchesNot(...['eq', 'lt', 'le', 'gt', 'ge'].map(operator => `nan ${operator} ${literal}`));
    }
    assertMatches('double ne NaN');
    assertMatchesNot('double eq NaN', 'double le NaN');
  });

  it('of dates is to the tick', () => {
    assertMatches(
      "when eq datetime'2020-01-01T00:00:00.0000005Z'",
      "when gt datetime'2020-01-01T00:00:00.0000004Z'",
      "when lt datetime'2020-01-01T00:00:00.0000006Z'",
      "when eq datetime'2020-01-01T01:00:00.0000005+01:00'",
    );
  });

  it('of GUIDs is by their canonical text', () => {
    assertMatches(
      "id eq guid'C9DA6455-213D-42C9-9A79-3E9149A57833'",
      "id gt guid'b9da6455-213d-42c9-9a79-3e9149a57833'",
      "id ne guid'00000000-0000-0000-0000-000000000000'",
    );
  });

  it('of binaries is by byte, a prefix first', () => {
    assertMatches(
      "bytes eq X'0102'",
      "bytes gt X'01'",
      "bytes lt X'010200'",
      "bytes lt X'02'",
      "bytes gt X''",
    );
  });

  it('of types that do not compare is ne, lt and le, whatever the values', () => {
    for (const [property, literal] of [
      ['digits', '123'],
      ['digits', 'true'],
      ['int', "'3'"],
      ['int', '3L'],
      ['int', '3D'],
      ['int', '0L'],
      ['three', '3D'],
      ['three', "'3'"],
      ['yes', "'true'"],
      ['yes', '1'],
      ['when', "'2020-01-01T00:00:00.0000005Z'"],
      ['id', "'c9da6455-213d-42c9-9a79-3e9149a57833'"],
      ['bytes', "'0102'"],
      ['PartitionKey', '1'],
      ['double', "'3.0'"],
    ] as const) {
      assertMatches(...['ne', 'lt', 'le'].map(operator => `${property} ${operator} ${literal}`));
      assertMatchesNot(...['eq', 'gt', 'ge'].map(operator => `${property} ${operator} ${literal}`));
    }
  });

  it('with a missing property is false, ne included', () => {
    for (const operator of ['eq', 'ne', 'lt', 'le', 'gt', 'ge']) {
      for (const literal of ["''", '0', 'true', '1L', "X''"]) {
        assertMatchesNot(`missing ${operator} ${literal}`);
        assertMatches(`not (missing ${operator} ${literal})`);
      }
    }
    assertMatchesNot('Text eq true', "TEXT ne ''");
  });
});

describe('a filter', () => {
  it('joins and negates', () => {
    assertMatches('int eq 3 and yes', 'int eq 4 or yes', 'not (int eq 4)', 'not no', 'true', 'not false');
    assertMatchesNot('int eq 4 and yes', 'int eq 4 or no', 'not yes', 'false', 'true and no');
    assertMatches('int eq 4 and no or yes', 'yes or int eq 4 and no');
    assertMatchesNot('(yes or int eq 4) and no');
  });

  it('of a bare property is true for a true Boolean alone', () => {
    assertMatches('yes');
    assertMatchesNot('no', 'text', 'int', 'missing', 'digits', 'PartitionKey');
  });
});
