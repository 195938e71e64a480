import type { MetadataLevel } from '../../http/media-type.ts';
import type { EntityUrls } from '../urls.ts';
import { isMemberName, RowMember } from './row-member.ts';

/** How an answer shows entities: the metadata level, and the names of `$select`, if any. */
export interface Projection {
  readonly level: MetadataLevel;
  readonly select: readonly string[] | undefined;
}

/**
 * A stored row as an answer shows it, without `odata.metadata` (REST: Payload Format for Table Service
 * Operations). A selected property that the entity lacks is null.
 */
export function projectRow(row: Buffer, projection: Projection, urls: EntityUrls): Buffer {
  return projectorOf(projection, urls)?.(row) ?? row;
}

/**
 * For many rows: a function whose answer is valid until it is called again; undefined where rows are shown as
 * they are stored. It copies ranges of bytes, as pages of other levels than minimal are to be fast, too.
 */
export function projectorOf(projection: Projection, urls: EntityUrls): ((row: Buffer) => Buffer) | undefined {
  const { level, select } = projection;
  if (level === 'minimal' && select === undefined) return undefined;
  const system = level === 'full' ? new FullMetadata(urls) : undefined;
  const members = select === undefined ? undefined : select.map(name => new SelectedMember(name, level));
  const text = new RowText();
  return row => {
    text.clear();
    // No comma is in the ETag, which comes first.
    const membersStart = row.indexOf(comma) + 1;
    if (system !== undefined) system.write(text, row, membersStart);
    else if (level === 'minimal') text.copy(row, 1, membersStart);
    if (members !== undefined) for (const member of members) member.write(text, row);
    else if (level === 'full') writeWithTimestampType(text, row, membersStart);
    else writeWithoutTypes(text, row, membersStart);
    return text.close();
  };
}

const comma = 0x2c;
const quote = 0x22;
const closingBrace = 0x7d;

/** The text of an object, each of whose members is written with a comma behind it. */
class RowText {
  #bytes = Buffer.allocUnsafe(2048);
  #length = 1;

  clear(): void {
    this.#bytes[0] = 0x7b; // the opening brace
    this.#length = 1;
  }

  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    source.copy(this.#bytes, this.#length, start, end);
    this.#length += end - start;
  }

  write(text: string): void {
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** For a member whose comma is not in its source. */
  endMember(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = comma;
  }

  close(): Buffer {
    if (this.#length === 1) this.endMember();
    this.#bytes[this.#length - 1] = closingBrace;
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The members of full metadata before the keys. */
class FullMetadata {
  readonly #urls: EntityUrls;
  readonly #opening: string;
  readonly #partitionKey = new RowMember('PartitionKey');
  readonly #rowKey = new RowMember('RowKey');

  constructor(urls: EntityUrls) {
    this.#urls = urls;
    const base = JSON.stringify(`${urls.base}/`).slice(0, -1);
    this.#opening = `"odata.type":${JSON.stringify(urls.type)},"odata.id":${base}`;
  }

  write(text: RowText, row: Buffer, membersStart: number): void {
    const url = this.#urls.relative(readText(row, this.#partitionKey), readText(row, this.#rowKey));
    const json = JSON.stringify(url);
    text.write(`${this.#opening}${json.slice(1)},`);
    text.copy(row, 1, membersStart);
    text.write(`"odata.editLink":${json},`);
  }
}

function readText(row: Buffer, member: RowMember): string {
  member.find(row);
  return JSON.parse(row.toString('utf8', member.valueStart, member.valueEnd)) as string;
}

class SelectedMember {
  readonly #member: RowMember | undefined;
  readonly #ifMissing: string;
  readonly #isTypeShown: boolean;
  readonly #type: string;

  constructor(name: string, level: MetadataLevel) {
    this.#member = isMemberName(name) ? new RowMember(name) : undefined;
    this.#ifMissing = `${JSON.stringify(name)}:null,`;
    this.#isTypeShown = level !== 'none';
    this.#type = level === 'full' && name === 'Timestamp' ? timestampType : '';
  }

  write(text: RowText, row: Buffer): void {
    const member = this.#member;
    if (member === undefined || !member.find(row)) {
      text.write(this.#ifMissing);
      return;
    }
    if (this.#type !== '') text.write(this.#type);
    text.copy(row, this.#isTypeShown ? member.start : member.nameStart, member.valueEnd);
    text.endMember();
  }
}

const timestampType = '"Timestamp@odata.type":"Edm.DateTime",';
const timestampStart = Buffer.from(',"Timestamp":');

/** Full metadata names the type of Timestamp, too, which rows do not. */
function writeWithTimestampType(text: RowText, row: Buffer, membersStart: number): void {
  const timestamp = row.indexOf(timestampStart, membersStart) + 1;
  text.copy(row, membersStart, timestamp);
  text.write(timestampType);
  text.copy(row, timestamp, row.length - 1);
  text.endMember();
}

/** An '@' is in no property's name, and in a string a quote has a backslash before it: this is in no value. */
const annotationEnding = Buffer.from('@odata.type":"');

function writeWithoutTypes(text: RowText, row: Buffer, membersStart: number): void {
  let start = membersStart;
  for (;;) {
    const found = row.indexOf(annotationEnding, start);
    if (found < 0) break;
    let name = found;
    while (row[name - 1] !== quote) name--;
    text.copy(row, start, name - 1);
    // Behind the type, its closing quote and the comma.
    start = row.indexOf(quote, found + annotationEnding.length) + 2;
  }
  text.copy(row, start, row.length - 1);
  text.endMember();
}
