import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { binaryBytes, measureEntity, stringUnits } from '../../../src/table/entity/measure.ts';
import { propertyOf, valueOfType } from '../../support/arbitraries.ts';

describe('the size of an entity', () => {
  it('is that of the published estimate', () => {
    assert.equal(measureEntity('', '', []), 4);
    assert.equal(measureEntity('pk', 'é😀', []), 4 + (2 + 3) * 2);
    const name = 'four';
    for (const [value, bytes] of [
      [{ type: 'Edm.String', value: 'abc' }, 3 * 2 + 4],
      [{ type: 'Edm.String', value: '"\n😀' }, 4 * 2 + 4],
      [{ type: 'Edm.Binary', value: Buffer.from([1, 2, 3, 4]) }, 4 + 4],
      [{ type: 'Edm.DateTime', value: 638_000_000_000_000_000n }, 8],
      [{ type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' }, 16],
      [{ type: 'Edm.Double', value: 1.5 }, 8],
      [{ type: 'Edm.Int32', value: 1 }, 4],
      [{ type: 'Edm.Int64', value: 1n }, 8],
      [{ type: 'Edm.Boolean', value: true }, 1],
    ] as const) {
      assert.equal(measureEntity('', '', [propertyOf(name, value)]), 4 + 8 + 4 * 2 + bytes, value.type);
    }
  });

  it('counts the code units of a string and the bytes of a binary, whatever their JSON looks like', () => {
    fc.assert(
      fc.property(valueOfType['Edm.String'], valueOfType['Edm.Binary'], (string, binary) => {
        assert.equal(stringUnits(propertyOf('a', string).json), (string.value as string).length);
        assert.equal(binaryBytes(propertyOf('a', binary).json), (binary.value as Buffer).length);
      }),
    );
  });
});
