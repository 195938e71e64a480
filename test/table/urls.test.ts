import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodePercent } from '../../src/http/query.ts';
import { parsePath } from '../../src/table/resource.ts';
import { entityPath, entityUrls, metadataUrl } from '../../src/table/urls.ts';
import { anyKey } from '../support/arbitraries.ts';

describe('the address of an entity', () => {
  it('has quotes doubled and raw, and all else percent-encoded', () => {
    assert.equal(entityPath('mytable', 'pk', 'A\'aaa"'), "mytable(PartitionKey='pk',RowKey='A''aaa%22')");
    assert.equal(entityPath('t', '', 'é 😀%20'), "t(PartitionKey='',RowKey='%C3%A9%20%F0%9F%98%80%2520')");
  });

  it('is plain ASCII, and leads back to the entity', () => {
    fc.assert(
      fc.property(anyKey, ({ partitionKey, rowKey }) => {
        const path = entityPath('mytable', partitionKey, rowKey);
        assert.match(path, /^[!-~]*$/);
        assert.deepEqual(parsePath(decodePercent(`/${path}`)), {
          kind: 'entity',
          table: 'mytable',
          partitionKey,
          rowKey,
        });
      }),
    );
  });

  it('stands below the base address, beside the type of the table', () => {
    const urls = entityUrls('http://127.0.0.1:10002/acme', 'acme', 'MyTable');
    assert.equal(urls.base, 'http://127.0.0.1:10002/acme');
    assert.equal(urls.type, 'acme.MyTable');
    assert.equal(urls.relative('p', 'r'), "MyTable(PartitionKey='p',RowKey='r')");
  });
});

describe('the address of metadata', () => {
  it('names the collection, an element of it, and the selection as it was given', () => {
    assert.equal(metadataUrl('http://h/a', 'Tables', false, undefined), 'http://h/a/$metadata#Tables');
    assert.equal(metadataUrl('http://h/a', 't', true, undefined), 'http://h/a/$metadata#t/@Element');
    assert.equal(
      metadataUrl('http://h/a', 't', false, 'age, sex'),
      'http://h/a/$metadata#t&$select=age,%20sex',
    );
    assert.equal(metadataUrl('http://h/a', 't', true, ''), 'http://h/a/$metadata#t/@Element&$select=');
  });
});
