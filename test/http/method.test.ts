import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMethod } from '../../src/http/method.ts';

describe('the verb of a request', () => {
  it('is that of the request line without X-HTTP-Method', () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'MERGE', 'DELETE']) {
      assert.equal(readMethod(method, undefined), method);
    }
  });

  it('comes through POST in X-HTTP-Method', () => {
    for (const method of ['PUT', 'PATCH', 'MERGE', 'DELETE'])
      assert.equal(readMethod('POST', method), method);
    assert.equal(readMethod('POST', ' merge '), 'MERGE');
  });

  it('is refused where X-HTTP-Method has another value, several, or stands on another verb', () => {
    for (const value of ['GET', 'POST', 'HEAD', '', 'BREW']) {
      assert.throws(() => readMethod('POST', value), { code: 'XMethodIncorrectValue' }, value);
    }
    assert.throws(() => readMethod('POST', 'MERGE, PUT'), { code: 'XMethodIncorrectCount' });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      assert.throws(() => readMethod(method, 'MERGE'), { code: 'XMethodNotUsingPost' }, method);
    }
  });
});
