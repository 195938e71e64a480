import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';

const pattern = /^[A-Za-z][A-Za-z0-9]*$/;

/**
 * Throws OutOfRangeInput for the length, InvalidInput for the reserved name, InvalidResourceName for the
 * characters, in the service's order (REST: Create Table; Understanding the Table Service Data Model).
 */
export function checkTableName(name: string): void {
  if (name.length < limits.tableNameUnitsMin || name.length > limits.tableNameUnitsMax) {
    throw new ServiceError(
      'OutOfRangeInput',
      'The specified resource name length is not within the permissible limits.',
    );
  }
  if (name.toLowerCase() === 'tables') throw new ServiceError('InvalidInput');
  if (!pattern.test(name)) throw new ServiceError('InvalidResourceName');
}

/** Whether a table of that name could exist. */
export function isTableName(name: string): boolean {
  return (
    name.length >= limits.tableNameUnitsMin && name.length <= limits.tableNameUnitsMax && pattern.test(name)
  );
}
