import { ServiceError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import type { Key } from '../../store/key.ts';
import { formatTicksInvariant, parseTicks, type Ticks } from '../../ticks.ts';
import type { Property } from './edm.ts';
import { binaryBytes, measureEntity, stringUnits } from './measure.ts';

const forbiddenInKeys = /[/\\#?\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;
const asciiName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** How the JSON of the first date that is allowed begins: four digits of a year sort as the years do. */
const firstYear = '"1601';
const unicodeName = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u;

/** Whether a key holds only characters that keys may hold (REST: Characters Disallowed in Key Fields). */
export function hasLegalCharacters({ partitionKey, rowKey }: Key): boolean {
  return !forbiddenInKeys.test(partitionKey) && !forbiddenInKeys.test(rowKey);
}

/** Throws OutOfRangeInput naming the key, PropertyValueTooLarge or KeyValueTooLarge (REST: Insert Entity). */
export function checkKey(key: Key): void {
  for (const [name, value] of [
    ['PartitionKey', key.partitionKey],
    ['RowKey', key.rowKey],
  ] as const) {
    if (!forbiddenInKeys.test(value)) continue;
    throw new ServiceError('OutOfRangeInput', `The '${name}' parameter of value '${value}' is out of range.`);
  }
  checkKeyLength(key);
}

/** Throws PropertyValueTooLarge or KeyValueTooLarge. */
export function checkKeyLength(key: Key): void {
  if (key.partitionKey.length > limits.keyUnitsMax || key.rowKey.length > limits.keyUnitsMax) {
    throw new ServiceError('PropertyValueTooLarge');
  }
  if (keysUtf8Bytes(key) > limits.keysUtf8BytesMax) {
    throw new ServiceError(
      'KeyValueTooLarge',
      `The PartitionKey and the RowKey together exceed the maximum allowed size (${limits.keysUtf8BytesMax} bytes of UTF-8).`,
    );
  }
}

function keysUtf8Bytes(key: Key): number {
  return Buffer.byteLength(key.partitionKey) + Buffer.byteLength(key.rowKey);
}

/**
 * The limits of an entity, in the service's order: names, count, entity, values, dates (REST: Understanding
 * the Table Service Data Model).
 */
export function checkEntity(key: Key, properties: readonly Property[]): void {
  for (const { name } of properties) {
    if (name.length > limits.propertyNameUnitsMax) throw new ServiceError('PropertyNameTooLong');
    if (!asciiName.test(name) && !unicodeName.test(name)) throw new ServiceError('PropertyNameInvalid');
  }
  checkSize(key, properties);
  for (const { type, json, name } of properties) {
    const isTooLarge =
      (type === 'Edm.String' &&
        json.length > limits.stringValueUnitsMax &&
        stringUnits(json) > limits.stringValueUnitsMax) ||
      (type === 'Edm.Binary' &&
        json.length > limits.binaryValueBytesMax &&
        binaryBytes(json) > limits.binaryValueBytesMax);
    if (isTooLarge) throw new ServiceError('PropertyValueTooLarge');
    if (type === 'Edm.DateTime' && json < firstYear) {
      const value = formatTicksInvariant(parseTicks(json.slice(1, -1)) as Ticks);
      throw new ServiceError(
        'OutOfRangeInput',
        `The '${name}' parameter of value '${value}' is out of range.`,
      );
    }
  }
}

/** Count and size alone: all that a merge can newly exceed. Throws TooManyProperties or EntityTooLarge. */
export function checkSize(key: Key, properties: readonly Property[]): void {
  if (properties.length > limits.customPropertiesMax) throw new ServiceError('TooManyProperties');
  if (measureEntity(key.partitionKey, key.rowKey, properties) > limits.entityBytesMax) {
    throw new ServiceError('EntityTooLarge');
  }
}
