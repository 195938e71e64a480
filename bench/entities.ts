/**
 * What is in the table: which partitions, which rows, and the bytes of every entity. All of it follows from
 * an index, so that the processes of a run agree on the contents without telling each other; all keys and
 * values have a fixed width, so that a request can be made from another by overwriting its keys in place.
 */

export const scanRowsMax = 10_000;
export const partitionRows = 1_000;
const pagePartitionsMax = 10_000;
const bucketCount = 100;

/** One partition of 10,000 for the filtered scan, and partitions of 1,000, each of which is one page. */
export interface Layout {
  table: string;
  entityCount: number;
  scanRows: number;
  pagePartitions: number;
  /** 1 KiB of thirteen properties of every type, or 200 bytes of three. */
  entity: 'large' | 'small';
}

/** What the workloads find. */
export function layOut(entityCount: number): Layout {
  const pagePartitions = (entityCount - scanRowsMax) / partitionRows;
  if (!Number.isInteger(pagePartitions) || pagePartitions < 1 || pagePartitions > pagePartitionsMax) {
    throw new Error(
      '--entities: 10,000 and at least one more thousand, in whole thousands, up to 10 million',
    );
  }
  return { table: 'bench', entityCount, scanRows: scanRowsMax, pagePartitions, entity: 'large' };
}

/** What `bench/growth.ts` compares by size: small entities, each partition one page. */
export function growthLayout(entityCount: number): Layout {
  const pagePartitions = entityCount / partitionRows;
  if (!Number.isInteger(pagePartitions) || pagePartitions < 1 || pagePartitions > pagePartitionsMax) {
    throw new Error('--sizes: whole thousands, up to 10 million');
  }
  return { table: 'growth', entityCount, scanRows: 0, pagePartitions, entity: 'small' };
}

export interface EntityKey {
  partitionKey: string;
  rowKey: string;
}

function digits(value: number, width: number): string {
  return value.toString().padStart(width, '0');
}

export const scanPartitionKey = 'scan-0000';

export function pagePartitionKey(number: number): string {
  return `page-${digits(number, 4)}`;
}

/** New entities go into a partition for each connection, as they would from independent writers. */
export function newPartitionKey(kind: 'rows' | 'sets' | 'gone', connection: number): string {
  return `${kind}-${digits(connection, 4)}`;
}

export const rowKeyUnits = 12;

export function rowKeyOf(index: number): string {
  return digits(index, rowKeyUnits);
}

/** The key of one of the preloaded entities; indexes follow the order of the keys within a partition. */
export function keyOf(layout: Layout, index: number): EntityKey {
  if (index < layout.scanRows) return { partitionKey: scanPartitionKey, rowKey: rowKeyOf(index) };
  const rest = index - layout.scanRows;
  return {
    partitionKey: pagePartitionKey(Math.floor(rest / partitionRows)),
    rowKey: rowKeyOf(rest % partitionRows),
  };
}

/** The value of the Int32 property that the filtered scan asks for: one row of a hundred has it. */
export function bucketOf(index: number): number {
  return 100 + (index % bucketCount);
}

const words = 'the quick brown fox jumps over a lazy dog while seven wizards box with quartz jugs; ';
const notes = words.repeat(5).slice(0, 310);
const photo = Buffer.from(words.repeat(2).slice(0, 126), 'latin1').toString('base64');

export const propertyNames: Record<Layout['entity'], readonly string[]> = {
  large: [
    'Name',
    'Email',
    'Department',
    'Bucket',
    'Level',
    'Badge',
    'Salary',
    'Rating',
    'Active',
    'HiredAt',
    'Identifier',
    'Photo',
    'Notes',
  ],
  small: ['Name', 'Level', 'Notes'],
};

/** The properties as members of a JSON object, in the form both of a request and of an answer. */
function members(entity: Layout['entity'], index: number): string {
  const number = digits(index % 100_000_000, 8);
  if (entity === 'small') {
    return `"Name":"Employee number ${number}","Level":${1000 + (index % 9000)},"Notes":"${notes.slice(0, 90)}"`;
  }
  return [
    `"Name":"Employee number ${number}"`,
    `"Email":"employee.${number}@example.org"`,
    `"Department":"Department ${digits(index % 50, 2)} of 50"`,
    `"Bucket":${bucketOf(index)}`,
    `"Level":${1000 + (index % 9000)}`,
    `"Badge@odata.type":"Edm.Int64","Badge":"90071992${number}"`,
    `"Salary":5${number}.25`,
    `"Rating":4.${digits(index % 9, 1)}5`,
    `"Active":${index % 2 === 0 ? 'true ' : 'false'}`,
    `"HiredAt@odata.type":"Edm.DateTime","HiredAt":"2021-08-02T18:01:40.${digits(index % 1_000_000, 6)}1Z"`,
    `"Identifier@odata.type":"Edm.Guid","Identifier":"c9da6455-213d-42c9-9a79-${digits(index, 12)}"`,
    `"Photo@odata.type":"Edm.Binary","Photo":"${photo}"`,
    `"Notes":"${notes}"`,
  ].join(',');
}

const keyOpening = '{"PartitionKey":"';
const rowKeyOpening = '","RowKey":"';

/** Where the keys are in the text of an entity. */
export const partitionKeyOffset: number = keyOpening.length;
export const rowKeyOffset: number = keyOpening.length + scanPartitionKey.length + rowKeyOpening.length;

function keyMembers(key: EntityKey): string {
  return `${keyOpening}${key.partitionKey}${rowKeyOpening}${key.rowKey}"`;
}

/** An entity as a client sends it. */
export function entityText(key: EntityKey, index: number, entity: Layout['entity'] = 'large'): string {
  return `${keyMembers(key)},${members(entity, index)}}`;
}

/** What a merge sends: three of the thirteen properties. */
export function mergeText(key: EntityKey, index: number): string {
  return `${keyMembers(key)},"Level":${1000 + (index % 9000)},"Salary":6${digits(index, 8)}.75,"Active":true}`;
}

/** An entity as a table server answers it, with its etag and Timestamp: the rows of the bare contestants. */
export function rowText(key: EntityKey, index: number): string {
  const time = '2021-08-02T18:01:40.1925388Z';
  const etag = `W/\\"datetime'${encodeURIComponent(time)}'\\"`;
  return `{"odata.etag":"${etag}",${keyMembers(key).slice(1)},"Timestamp":"${time}",${members('large', index)}}`;
}
