import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAccessPolicies, parseAccessPolicies } from '../../src/account/access-policies-xml.ts';
import type { AccessPolicy } from '../../src/account/access-policy.ts';
import * as limits from '../../src/limits.ts';

const bom = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

function parse(body: string): AccessPolicy[] {
  return parseAccessPolicies(Buffer.from(body), 'raud');
}

/** One policy with these elements. */
function policy(elements: string): string {
  return `<SignedIdentifiers><SignedIdentifier>${elements}</SignedIdentifier></SignedIdentifiers>`;
}

const refused = { code: 'InvalidXmlDocument', status: 400 };

describe('access policies in XML', () => {
  it('are read with their elements in any order, and times with seven digits', () => {
    assert.deepEqual(
      parse(
        policy(
          '<AccessPolicy><Permission>ru</Permission><Expiry>2030-01-02</Expiry><Start>2021-06-08T02:05:09.25+01:00</Start></AccessPolicy><Id>a b</Id>',
        ),
      ),
      [
        {
          id: 'a b',
          start: '2021-06-08T01:05:09.2500000Z',
          expiry: '2030-01-02T00:00:00.0000000Z',
          permissions: 'ru',
        },
      ],
    );
  });

  it('may have any part of a policy, or none; empty elements count as absent', () => {
    assert.deepEqual(parse(policy('<Id>a</Id>')), [{ id: 'a' }]);
    assert.deepEqual(parse(policy('<Id>a</Id><AccessPolicy/>')), [{ id: 'a' }]);
    const empty = '<AccessPolicy><Start/><Expiry></Expiry><Permission/></AccessPolicy>';
    assert.deepEqual(parse(policy(`<Id>a</Id>${empty}`)), [{ id: 'a' }]);
    const letters = '<AccessPolicy><Permission>duar</Permission></AccessPolicy>';
    assert.deepEqual(parse(policy(`<Id>a</Id>${letters}`)), [{ id: 'a', permissions: 'duar' }]);
  });

  it('are none in an empty body and in an empty list', () => {
    assert.deepEqual(parse(''), []);
    assert.deepEqual(parse('<SignedIdentifiers/>'), []);
    assert.deepEqual(parse(`${bom}<SignedIdentifiers />`), []);
  });

  it('are five at most, and their ids of 64 characters', () => {
    const many = (count: number): string =>
      `<SignedIdentifiers>${Array.from({ length: count }, (_, index) => `<SignedIdentifier><Id>${index}</Id></SignedIdentifier>`).join('')}</SignedIdentifiers>`;
    assert.equal(parse(many(limits.accessPoliciesMax)).length, 5);
    assert.throws(() => parse(many(limits.accessPoliciesMax + 1)), refused);
    parse(policy(`<Id>${'i'.repeat(64)}</Id>`));
    assert.throws(() => parse(policy(`<Id>${'i'.repeat(65)}</Id>`)), refused);
  });

  it('are refused where anything is wrong with them', () => {
    for (const body of [
      '<SignedIdentifier><Id>a</Id></SignedIdentifier>',
      '<SignedIdentifiers>text</SignedIdentifiers>',
      '<SignedIdentifiers><Other/></SignedIdentifiers>',
      '<SignedIdentifiers><Id>a</Id></SignedIdentifiers>',
      policy(''),
      policy('<Id/>'),
      policy('<Id>a</Id><Id>b</Id>'),
      policy('<Id>a</Id><Else/>'),
      policy('<Id>a</Id><AccessPolicy><Permission>x</Permission></AccessPolicy>'),
      policy('<Id>a</Id><AccessPolicy><Permission>rr</Permission></AccessPolicy>'),
      policy('<Id>a</Id><AccessPolicy><Start>tomorrow</Start></AccessPolicy>'),
      policy('<Id>a</Id><AccessPolicy><Expiry>2021-06-31</Expiry></AccessPolicy>'),
      '<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier><SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>',
    ]) {
      assert.throws(() => parse(body), refused, body);
    }
  });

  it('are written with what they were set with, to the byte', () => {
    assert.equal(formatAccessPolicies([]), `${bom}<SignedIdentifiers />`);
    const policies: AccessPolicy[] = [
      {
        id: '<a>',
        start: '2021-06-08T02:05:09.0000000Z',
        expiry: '2021-06-08T03:10:09.0000000Z',
        permissions: 'r',
      },
      { id: 'b' },
      { id: 'c', permissions: 'd' },
    ];
    assert.equal(
      formatAccessPolicies(policies),
      `${bom}<SignedIdentifiers>` +
        '<SignedIdentifier><Id>&lt;a&gt;</Id><AccessPolicy><Start>2021-06-08T02:05:09.0000000Z</Start><Expiry>2021-06-08T03:10:09.0000000Z</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier>' +
        '<SignedIdentifier><Id>b</Id></SignedIdentifier>' +
        '<SignedIdentifier><Id>c</Id><AccessPolicy><Permission>d</Permission></AccessPolicy></SignedIdentifier>' +
        '</SignedIdentifiers>',
    );
    assert.deepEqual(parse(formatAccessPolicies(policies)), policies);
  });
});
