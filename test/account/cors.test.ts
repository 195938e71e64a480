import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerPreflight, corsHeaders, type Preflight } from '../../src/account/cors.ts';
import type { CorsRule } from '../../src/account/service-properties.ts';

function rule(changes: Partial<CorsRule> = {}): CorsRule {
  return {
    allowedOrigins: ['http://www.contoso.com'],
    allowedMethods: ['GET', 'PUT'],
    allowedHeaders: ['accept', 'x-ms-meta-data*'],
    exposedHeaders: [],
    maxAgeSeconds: 60,
    ...changes,
  };
}

const asked: Preflight = { origin: 'http://www.contoso.com', method: 'PUT', headers: undefined };

function isAllowed(rules: readonly CorsRule[], changes: Partial<Preflight> = {}): boolean {
  try {
    answerPreflight(rules, { ...asked, ...changes });
    return true;
  } catch (error) {
    assert.equal((error as { code: string }).code, 'CorsPreflightFailure');
    return false;
  }
}

describe('a preflight', () => {
  it('is answered with what was asked for, and how long that holds', () => {
    assert.deepEqual(answerPreflight([rule()], { ...asked, headers: 'Accept, x-ms-meta-data-foo' }), {
      'Access-Control-Allow-Origin': 'http://www.contoso.com',
      'Access-Control-Allow-Methods': 'PUT',
      'Access-Control-Allow-Headers': 'Accept, x-ms-meta-data-foo',
      'Access-Control-Max-Age': '60',
      'Access-Control-Allow-Credentials': 'true',
    });
  });

  it('needs an origin and a method', () => {
    for (const changes of [{ origin: undefined }, { origin: '' }, { method: undefined }]) {
      assert.throws(() => answerPreflight([rule()], { ...asked, ...changes }), {
        code: 'InvalidHeaderValue',
        message: 'A required CORS header is not present.',
      });
    }
  });

  it('is refused without a rule that has origin, method and every header', () => {
    assert.ok(!isAllowed([]));
    assert.ok(isAllowed([rule()]));
    assert.ok(!isAllowed([rule()], { origin: 'http://www.contoso.com:8080' }));
    assert.ok(!isAllowed([rule()], { origin: 'https://www.contoso.com' }));
    assert.ok(!isAllowed([rule()], { method: 'DELETE' }));
    assert.ok(!isAllowed([rule()], { headers: 'accept,content-type' }));
    assert.ok(isAllowed([rule()], { headers: ' ACCEPT ,X-MS-META-DATA,, ' }));
    assert.ok(!isAllowed([rule()], { headers: 'x-ms-meta-dat' }));
  });

  it('does not take origin and method of one rule, and headers of another', () => {
    const rules = [rule({ allowedHeaders: [] }), rule({ allowedOrigins: ['http://other.com'] })];
    assert.ok(!isAllowed(rules, { headers: 'accept' }));
  });

  it('takes the first rule that matches wholly', () => {
    const rules = [
      rule({ allowedHeaders: [], maxAgeSeconds: 1 }),
      rule({ maxAgeSeconds: 2 }),
      rule({ maxAgeSeconds: 3 }),
    ];
    assert.equal(answerPreflight(rules, { ...asked, headers: 'accept' })['Access-Control-Max-Age'], '2');
  });

  it('is matched by an asterisk: for origins, for headers, and for the hosts of a domain', () => {
    assert.ok(
      isAllowed([rule({ allowedOrigins: ['*'], allowedHeaders: ['*'] })], { origin: 'null', headers: 'a,b' }),
    );
    const hosts = [rule({ allowedOrigins: ['https://*.contoso.com'] })];
    assert.ok(isAllowed(hosts, { origin: 'https://a.b.contoso.com' }));
    for (const origin of [
      'https://contoso.com',
      'http://a.contoso.com',
      'https://a.contoso.com.evil.org',
      'https://evilcontoso.com',
    ]) {
      assert.ok(!isAllowed(hosts, { origin }), origin);
    }
  });
});

describe('the answer to a request from another origin', () => {
  const own = ['Date', 'Server', 'x-ms-request-id', 'ETag'];

  it('says nothing without rules', () => {
    assert.deepEqual(corsHeaders([], 'http://www.contoso.com', 'GET', own), {});
  });

  it('names the origin that a rule names', () => {
    assert.deepEqual(corsHeaders([rule()], 'http://www.contoso.com', 'GET', own), {
      'Access-Control-Allow-Origin': 'http://www.contoso.com',
      'Access-Control-Allow-Credentials': 'true',
      Vary: 'Origin',
    });
  });

  it('exposes names as they are listed, its own by prefix, and all of its own for an asterisk', () => {
    const expose = (...exposedHeaders: string[]) =>
      corsHeaders([rule({ exposedHeaders })], 'http://www.contoso.com', 'GET', own)[
        'Access-Control-Expose-Headers'
      ];
    assert.equal(expose(), undefined);
    assert.equal(expose('x-absent', 'ETag'), 'x-absent,ETag');
    assert.equal(expose('X-MS-*', 'etag'), 'x-ms-request-id,etag');
    assert.equal(expose('*'), own.join(','));
    assert.equal(expose('x-other*'), undefined);
  });

  it('allows all origins by an asterisk for what may be kept, by name for what may not', () => {
    const rules = [rule({ allowedOrigins: ['*'] })];
    assert.deepEqual(corsHeaders(rules, 'http://a.com', 'GET', own), { 'Access-Control-Allow-Origin': '*' });
    assert.deepEqual(corsHeaders(rules, 'http://a.com', 'PUT', own), {
      'Access-Control-Allow-Origin': 'http://a.com',
      Vary: 'Origin',
    });
  });

  it('of a reading request says that it depends on the origin, unless it does not', () => {
    const vary = { Vary: 'Origin' };
    assert.deepEqual(corsHeaders([rule()], undefined, 'GET', own), vary);
    assert.deepEqual(corsHeaders([rule()], 'http://other.com', 'GET', own), vary);
    assert.deepEqual(corsHeaders([rule()], 'http://other.com', 'HEAD', own), vary);
    assert.deepEqual(corsHeaders([rule()], 'http://other.com', 'PUT', own), {});
    assert.deepEqual(corsHeaders([rule()], undefined, 'PUT', own), {});
    const all = rule({ allowedOrigins: ['*'] });
    assert.deepEqual(corsHeaders([all], undefined, 'GET', own), {});
    assert.deepEqual(corsHeaders([rule(), all], undefined, 'GET', own), vary);
    assert.deepEqual(corsHeaders([rule(), all], 'http://other.com', 'GET', own), {
      'Access-Control-Allow-Origin': '*',
      ...vary,
    });
  });
});
