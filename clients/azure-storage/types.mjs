import assert from 'node:assert/strict';
import { behaviour } from '../cases.ts';
import {
  batchOf,
  call,
  entity,
  freshTable,
  get,
  make,
  queryAll,
  refusal,
  service,
  TableUtilities,
} from './sdk.mjs';

/** What a property is read as, alone and in a list, after each way of writing it. */
async function assertReads(written, expected) {
  const table = await freshTable();
  const descriptor = rowKey => entity('p', rowKey, { a: written });
  await call(service, 'insertEntity', table, descriptor('inserted'));
  await call(service, 'insertOrReplaceEntity', table, descriptor('upserted'));
  await call(service, 'insertEntity', table, entity('p', 'merged', { a: make.Boolean(true) }));
  await call(service, 'mergeEntity', table, descriptor('merged'));
  await call(service, 'executeBatch', table, batchOf(['insertEntity', descriptor('batched')]));
  for (const rowKey of ['inserted', 'upserted', 'merged', 'batched']) {
    assert.deepEqual((await get(table, 'p', rowKey)).a, expected, `${rowKey}, alone`);
  }
  for (const { a } of await queryAll(table)) assert.deepEqual(a, expected);
}

/** Types that the wire does not name come back without one. */
const unnamed = value => ({ _: value });
const named = (type, value) => ({ $: type, _: value });

for (const [what, text] of [
  ['empty', ''],
  ['of spaces', '  '],
  ['that looks like a number', '3.0'],
  ['with quotes, backslashes and control characters', '"\\/\b\f\n\r\t\u001f\u007f'],
  ['of other scripts and of supplementary characters', 'é名前שלום😀\uffff'],
  ['of 32,768 characters', 'x'.repeat(32_768)],
]) {
  behaviour(`types: a String ${what} is kept`, () => assertReads(make.String(text), unnamed(text)));
}

for (const value of [true, false]) {
  behaviour(`types: the Boolean ${value} is kept`, () => assertReads(make.Boolean(value), unnamed(value)));
}

for (const value of [0, 1, -1, 2_147_483_647, -2_147_483_648]) {
  behaviour(`types: the Int32 ${value} is kept`, () => assertReads(make.Int32(value), unnamed(value)));
}

for (const text of ['0', '9007199254740993', '9223372036854775807', '-9223372036854775808']) {
  behaviour(`types: the Int64 ${text} is kept`, () =>
    assertReads(make.Int64(text), named('Edm.Int64', text)),
  );
}

for (const value of [1.5, -1.5e-300, Number.MAX_VALUE, Number.MIN_VALUE]) {
  behaviour(`types: the Double ${value} is kept`, () => assertReads(make.Double(value), unnamed(value)));
}

behaviour('types: the Double 3.0 stays a Double, which the SDK tells by the text of the number', () =>
  assertReads(make.Double(3), named('Edm.Double', 3)),
);

behaviour('types: the Double -0.0 keeps its sign', () =>
  assertReads(make.Double('-0.0'), named('Edm.Double', -0)),
);

for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
  behaviour(`types: the Double ${value} is kept`, () =>
    assertReads(make.Double(value), named('Edm.Double', value)),
  );
}

for (const time of ['2020-02-29T12:34:56Z', '2020-02-29T12:34:56.789Z', '1601-01-01T00:00:00Z']) {
  behaviour(`types: the DateTime ${time} is kept`, () =>
    assertReads(make.DateTime(new Date(time)), named('Edm.DateTime', new Date(time))),
  );
}

behaviour('types: a Guid is kept', () => {
  const guid = 'c9da6455-213d-42c9-9a79-3e9149a57833';
  return assertReads(make.Guid(guid), named('Edm.Guid', guid));
});

for (const [what, length] of [
  ['empty', 0],
  ['of every byte', 256],
  ['of 64 KiB', 65_536],
]) {
  behaviour(`types: a Binary ${what} is kept`, () => {
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, index) => index % 256));
    return assertReads(make.Binary(bytes), named('Edm.Binary', bytes));
  });
}

behaviour('types: a property that is null is dropped', async () => {
  const table = await freshTable();
  await call(service, 'insertEntity', table, entity('p', 'r', { a: make.String(null), b: make.Int32(1) }));
  const found = await get(table, 'p', 'r');
  assert.equal('a' in found, false);
  assert.equal(found.b._, 1);
});

behaviour('types: plain values are written with the types that the SDK guesses', async () => {
  const table = await freshTable();
  const time = new Date('2020-01-01T00:00:00Z');
  const plain = { PartitionKey: 'p', RowKey: 'r', a: 'x', b: 1, c: 1.5, d: true, e: time };
  await call(service, 'insertEntity', table, plain);
  const { a, b, c, d, e } = await get(table, 'p', 'r');
  assert.deepEqual(
    [a, b, c, d, e],
    [unnamed('x'), unnamed(1), unnamed(1.5), unnamed(true), named('Edm.DateTime', time)],
  );
});

behaviour('types: an insert can echo what it wrote', async () => {
  const table = await freshTable();
  const descriptor = entity('p', 'r', { a: make.Int64('1') });
  const echoed = await call(service, 'insertEntity', table, descriptor, { echoContent: true });
  assert.deepEqual(echoed.a, named('Edm.Int64', '1'));
  assert.ok(echoed.Timestamp._ instanceof Date);
});

behaviour('types: full metadata names the entity, minimal its types, none nothing', async () => {
  const table = await freshTable();
  await call(service, 'insertEntity', table, entity("it's", 'r', { a: make.Int64('1') }));
  const { FULL_METADATA, MINIMAL_METADATA, NO_METADATA } = TableUtilities.PayloadFormat;
  const full = await get(table, "it's", 'r', { payloadFormat: FULL_METADATA });
  assert.equal(full['.metadata'].editLink, `${table}(PartitionKey='it''s',RowKey='r')`);
  assert.match(full['.metadata'].type, new RegExp(`\\.${table}$`));
  assert.deepEqual(full.a, named('Edm.Int64', '1'));
  const minimal = await get(table, "it's", 'r', { payloadFormat: MINIMAL_METADATA });
  assert.deepEqual(Object.keys(minimal['.metadata']).sort(), ['etag', 'metadata']);
  assert.deepEqual(minimal.a, named('Edm.Int64', '1'));
  const none = await get(table, "it's", 'r', { payloadFormat: NO_METADATA });
  assert.deepEqual(none.a, unnamed('1'));
});

for (const [what, code, properties] of [
  ['a String of 32,769 characters', 'PropertyValueTooLarge', { a: make.String('x'.repeat(32_769)) }],
  ['a Binary of more than 64 KiB', 'PropertyValueTooLarge', { a: make.Binary(Buffer.alloc(65_537)) }],
  ['an Int64 out of range', 'InvalidInput', { a: make.Int64('9223372036854775808') }],
  ['a name that begins with a digit', 'PropertyNameInvalid', { '1a': make.Int32(1) }],
]) {
  behaviour(`types: an entity with ${what} is refused with ${code}`, async () => {
    const table = await freshTable();
    await assert.rejects(
      call(service, 'insertEntity', table, entity('p', 'r', properties)),
      refusal(400, code),
    );
  });
}
