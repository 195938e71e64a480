import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../src/errors.ts';
import { renderError } from '../../src/http/error-body.ts';
import { parseTicks } from '../../src/ticks.ts';

const time = parseTicks('2021-09-21T00:49:27.8708Z') as bigint;

describe('the body of an error', () => {
  it('is compact OData JSON of three lines, at the level of the request', () => {
    const answer = renderError(new ServiceError('TableAlreadyExists'), 'minimal', 'an-id', time);
    assert.equal(answer.status, 409);
    assert.equal(
      answer.headers['Content-Type'],
      'application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
    );
    assert.equal(
      answer.body,
      '{"odata.error":{"code":"TableAlreadyExists","message":{"lang":"en-US","value":"The table specified already exists.\\nRequestId:an-id\\nTime:2021-09-21T00:49:27.8708000Z"}}}',
    );
    assert.match(
      renderError(new ServiceError('InvalidInput'), 'none', 'an-id', time).headers['Content-Type'] as string,
      /odata=nometadata/,
    );
  });

  it('begins its message with the index of the operation that failed', () => {
    const { body } = renderError(new ServiceError('EntityAlreadyExists').at(2), 'minimal', 'an-id', time);
    assert.match(body, /"value":"2:The specified entity already exists\.\\n/);
  });

  it('is XML without a prefix where the format is not JSON', () => {
    for (const shape of ['atom', 'verbose'] as const) {
      const answer = renderError(new ServiceError('UpdateConditionNotSatisfied'), shape, 'an-id', time);
      assert.equal(answer.status, 412);
      assert.equal(answer.headers['Content-Type'], 'application/xml;charset=utf-8');
      assert.equal(
        answer.body,
        '<?xml version="1.0" encoding="utf-8"?><error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><code>UpdateConditionNotSatisfied</code><message xml:lang="en-US">The update condition specified in the request was not satisfied.\nRequestId:an-id\nTime:2021-09-21T00:49:27.8708000Z</message></error>',
      );
    }
  });

  it('is XML with the prefix m of the surfaces that speak XML alone', () => {
    const answer = renderError(new ServiceError('ResourceNotFound'), 'xml service', 'an-id', time);
    assert.equal(answer.headers['Content-Type'], 'application/xml');
    assert.equal(answer.headers['x-ms-error-code'], 'ResourceNotFound');
    assert.equal(
      answer.body,
      '<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>ResourceNotFound</m:code><m:message xml:lang="en-US">The specified resource does not exist.\nRequestId:an-id\nTime:2021-09-21T00:49:27.8708000Z</m:message></m:error>',
    );
  });

  it('is well-formed whatever the message quotes', () => {
    const error = new ServiceError('InvalidInput', `<a> & "b" \u0001 \ud800 \uffff 😀`);
    assert.ok(
      renderError(error, 'atom', 'an-id', time).body.includes('&lt;a&gt; &amp; "b" \ufffd \ufffd \ufffd 😀'),
    );
    const json = JSON.parse(renderError(error, 'full', 'an-id', time).body);
    assert.ok(json['odata.error'].message.value.startsWith(error.message));
  });
});
