import { ServiceError } from '../errors.ts';

/** Versions of the Table service, newest first (REST: Versioning for Azure Storage). */
const versionList = [
  '2026-06-06',
  '2026-04-06',
  '2026-02-06',
  '2025-11-05',
  '2025-07-05',
  '2025-05-05',
  '2025-01-05',
  '2024-11-04',
  '2024-08-04',
  '2024-05-04',
  '2024-02-04',
  '2023-11-03',
  '2023-08-03',
  '2023-01-03',
  '2022-11-02',
  '2021-12-02',
  '2021-10-04',
  '2021-08-06',
  '2021-06-08',
  '2021-04-10',
  '2021-02-12',
  '2020-12-06',
  '2020-10-02',
  '2020-08-04',
  '2020-06-12',
  '2020-04-08',
  '2020-02-10',
  '2019-12-12',
  '2019-10-10',
  '2019-07-07',
  '2019-02-02',
  '2018-11-09',
  '2018-03-28',
  '2017-11-09',
  '2017-07-29',
  '2017-04-17',
  '2016-05-31',
  '2015-12-11',
  '2015-07-08',
  '2015-04-05',
  '2015-02-21',
  '2014-02-14',
  '2013-08-15',
  '2012-02-12',
  '2011-08-18',
  '2009-09-19',
  '2009-07-17',
  '2009-04-14',
];

export const knownVersions: ReadonlySet<string> = new Set(versionList);

export const newestVersion = versionList[0] as string;
const oldestVersion = versionList.at(-1) as string;

/** The first version that speaks JSON. */
export const firstJsonVersion = '2013-08-15';

/** The version that an answer names: the request's, where it is one, else the newest. */
export function echoedVersion(header: string | undefined): string {
  if (header === undefined) return newestVersion;
  return knownVersions.has(header) || isWellFormedVersion(header) ? header : newestVersion;
}

/**
 * The version that a request is executed as. Any well-formed one is accepted, newer than the newest known
 * too, unless `isStrict`. Throws InvalidHeaderValue.
 */
export function parseVersion(header: string | undefined, isStrict: boolean): string {
  if (header === undefined) return newestVersion;
  if (knownVersions.has(header) || (!isStrict && isWellFormedVersion(header))) return header;
  throw new ServiceError('InvalidHeaderValue');
}

/** A date at or after the oldest version. */
export function isWellFormedVersion(header: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= oldestVersion && !Number.isNaN(Date.parse(header));
}
