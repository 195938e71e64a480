import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJson, jsonContentType, negotiateFormat } from '../../src/http/media-type.ts';

describe('the format of an answer', () => {
  for (const [accept, format] of [
    ['application/json;odata=nometadata', 'none'],
    ['application/json;odata=minimalmetadata', 'minimal'],
    ['application/json;odata=fullmetadata', 'full'],
    ['application/json', 'minimal'],
    ['application/json; odata=minimalmetadata', 'minimal'],
    ['Application/JSON;OData=NoMetadata', 'none'],
    ['application/json;charset=utf-8;odata=fullmetadata', 'full'],
    ['application/json;odata=verbose', 'verbose'],
    ['application/atom+xml,application/json;odata=nometadata', 'none'],
    ['application/json;q=0.9, application/xml', 'minimal'],
    ['application/atom+xml', 'atom'],
    ['application/xml', 'atom'],
    ['*/*', 'atom'],
    ['', 'atom'],
  ] as const) {
    it(`is ${format} with Accept: ${accept}`, () => assert.equal(negotiateFormat(undefined, accept), format));
  }

  it('is Atom without Accept', () => assert.equal(negotiateFormat(undefined, undefined), 'atom'));

  it('is what $format says before Accept', () => {
    assert.equal(negotiateFormat('application/json;odata=fullmetadata', '*/*'), 'full');
    assert.equal(negotiateFormat('json', 'application/atom+xml'), 'minimal');
    assert.equal(negotiateFormat('application/atom+xml', 'application/json'), 'atom');
  });

  it('is JSON at the three metadata levels alone', () => {
    assert.deepEqual((['none', 'minimal', 'full', 'verbose', 'atom'] as const).filter(isJson), [
      'none',
      'minimal',
      'full',
    ]);
  });

  it('is named to clients without a space', () => {
    assert.equal(jsonContentType('none'), 'application/json;odata=nometadata;streaming=true;charset=utf-8');
    assert.equal(
      jsonContentType('minimal'),
      'application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
    );
    assert.equal(jsonContentType('full'), 'application/json;odata=fullmetadata;streaming=true;charset=utf-8');
  });
});
