import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePath } from '../../src/table/resource.ts';
import { anyKey } from '../support/arbitraries.ts';

const syntaxError = { code: 'InvalidInput', message: 'Bad Request - Error in query syntax.' };

describe('the resource that a path names', () => {
  for (const [path, resource] of [
    ['/', { kind: 'service' }],
    ['', { kind: 'service' }],
    ['/$batch', { kind: 'batch' }],
    ['/$Batch/', { kind: 'batch' }],
    ['/Tables', { kind: 'tables' }],
    ['/Tables()', { kind: 'tables' }],
    ['/tables/', { kind: 'tables' }],
    ["/Tables('mytable')", { kind: 'table', table: 'mytable' }],
    ["/TABLES( 'a''b' )", { kind: 'table', table: "a'b" }],
    ['/mytable', { kind: 'entities', table: 'mytable', partitionKey: undefined }],
    ['/mytable()', { kind: 'entities', table: 'mytable', partitionKey: undefined }],
    ['/MyTable( )/', { kind: 'entities', table: 'MyTable', partitionKey: undefined }],
    ["/mytable(PartitionKey='p')", { kind: 'entities', table: 'mytable', partitionKey: 'p' }],
    ["/t(PartitionKey='p',RowKey='r')", { kind: 'entity', table: 't', partitionKey: 'p', rowKey: 'r' }],
    ["/t(RowKey='r',PartitionKey='p')", { kind: 'entity', table: 't', partitionKey: 'p', rowKey: 'r' }],
    [
      "/t( PartitionKey = 'p' , RowKey = 'r' )",
      { kind: 'entity', table: 't', partitionKey: 'p', rowKey: 'r' },
    ],
    ["/t(PartitionKey='',RowKey='')", { kind: 'entity', table: 't', partitionKey: '', rowKey: '' }],
    [
      "/t(PartitionKey='O''Hara',RowKey='''')",
      { kind: 'entity', table: 't', partitionKey: "O'Hara", rowKey: "'" },
    ],
    [
      "/t(PartitionKey='a,RowKey=(b)',RowKey='),(=\"%20\n')",
      { kind: 'entity', table: 't', partitionKey: 'a,RowKey=(b)', rowKey: '),(="%20\n' },
    ],
  ] as const) {
    it(`is ${JSON.stringify(resource)} for ${JSON.stringify(path)}`, () => {
      assert.deepEqual(parsePath(path), resource);
    });
  }

  it('is the entity of any keys', () => {
    fc.assert(
      fc.property(anyKey, ({ partitionKey, rowKey }) => {
        const quoted = [partitionKey, rowKey].map(key => `'${key.replaceAll("'", "''")}'`);
        const path = `/mytable(PartitionKey=${quoted[0]},RowKey=${quoted[1]})`;
        assert.deepEqual(parsePath(path), { kind: 'entity', table: 'mytable', partitionKey, rowKey });
      }),
    );
  });

  it('is refused with InvalidInput for a slash or backslash in a key', () => {
    for (const key of ['/', '\\', 'a/b', 'a\\b']) {
      assert.throws(() => parsePath(`/t(PartitionKey='${key}',RowKey='r')`), syntaxError, key);
      assert.throws(() => parsePath(`/t(PartitionKey='p',RowKey='${key}')`), syntaxError, key);
    }
  });

  it('is refused with InvalidInput for keys that are not written as keys', () => {
    for (const predicate of [
      "'p','r'",
      "'p'",
      "RowKey='r'",
      "PartitionKey='p',",
      ",PartitionKey='p'",
      "PartitionKey='p',PartitionKey='q'",
      "PartitionKey='p',RowKey='r',RowKey='s'",
      "PartitionKey='p'RowKey='r'",
      "PartitionKey='p',RowKey=5",
      "PartitionKey='p',RowKey='r",
      "PartitionKey='p',RowKey='it's'",
      "partitionkey='p',rowkey='r'",
      "Key='p'",
      'x',
    ]) {
      assert.throws(() => parsePath(`/t(${predicate})`), syntaxError, predicate);
    }
    for (const predicate of ['mytable', "'a'b'", "'a','b'"]) {
      assert.throws(() => parsePath(`/Tables(${predicate})`), syntaxError, predicate);
    }
  });

  it('is refused with ResourceNotFound for more segments than any resource has', () => {
    for (const path of ['/a/b', '/Tables/x', '/a//b']) {
      assert.throws(() => parsePath(path), { code: 'ResourceNotFound' }, path);
    }
  });
});
