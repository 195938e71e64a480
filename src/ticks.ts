/**
 * The service's clock unit: 100 ns since 0001-01-01T00:00:00Z, which passes 2^53, hence BigInt. All of
 * Timestamp, ETag and DateTime properties are written and read here.
 */
export type Ticks = bigint;

const ticksPerMs = 10_000n;
const unixEpochTicks = 621_355_968_000_000_000n;
const unixEpochMs = Number(unixEpochTicks / ticksPerMs);

export function ticksFromMs(unixMs: number): Ticks {
  return BigInt(unixMs) * ticksPerMs + unixEpochTicks;
}

/** `2020-07-24T14:34:48.4767Z`: trailing zeros of the fraction dropped, no fraction when it is zero. */
export function formatTicks(ticks: Ticks): string {
  const { seconds, fraction } = split(ticks);
  let digits = fraction.length;
  while (digits > 0 && fraction[digits - 1] === '0') digits--;
  return digits === 0 ? `${seconds}Z` : `${seconds}.${fraction.slice(0, digits)}Z`;
}

/** `2020-07-24T14:34:48.4767000Z`: always seven digits, as in error messages and access policies. */
export function formatTicksFull(ticks: Ticks): string {
  const { seconds, fraction } = split(ticks);
  return `${seconds}.${fraction}Z`;
}

/** `01/01/0001 00:00:00`: how the service names a date that is out of range. */
export function formatTicksInvariant(ticks: Ticks): string {
  const { seconds } = split(ticks);
  const [year, month, day] = seconds.slice(0, 10).split('-');
  return `${month}/${day}/${year} ${seconds.slice(11)}`;
}

const ticksPerSecond = 1000n * ticksPerMs;

let lastSecond = Number.NaN;
let lastSeconds = '';

/** Clock times come in runs of one second: its text is kept. */
function split(ticks: Ticks): { seconds: string; fraction: string } {
  const second = Number(ticks / ticksPerSecond);
  if (second !== lastSecond) {
    lastSeconds = new Date(second * 1000 - unixEpochMs).toISOString().slice(0, 19);
    lastSecond = second;
  }
  return { seconds: lastSeconds, fraction: String(ticks % ticksPerSecond).padStart(7, '0') };
}

/** Of formatTicks, and certainly a date: the days that not every month has are left to parseTicks. */
const plain =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,6}[1-9])?Z$/;

/** The text as formatTicks writes its time; undefined where it is not a date. */
export function trimTicks(text: string): string | undefined {
  if (plain.test(text)) return text;
  const ticks = parseTicks(text);
  return ticks === undefined ? undefined : formatTicks(ticks);
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|z|[+-]\d{2}:?\d{2})?$/;

/**
 * Reads ISO 8601; no zone means UTC. A tick is the seventh fractional digit; the eighth and ninth, which the Java
 * client writes in groups of three, are dropped. Undefined where the text is not a date, the 31st of June included,
 * or where its zone takes it out of the years 0001 to 9999.
 */
export function parseTicks(text: string): Ticks | undefined {
  const match = iso.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const utc = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const unixMs = Date.parse(utc);
  // A day too many would be one of the next month, and hour 24 of the next day.
  if (Number.isNaN(unixMs) || new Date(unixMs).getUTCDate() !== Number(day)) return undefined;
  const ticks = ticksFromMs(unixMs - zoneOffsetMs(zone)) + BigInt(fraction.slice(0, 7).padEnd(7, '0'));
  return ticks >= 0n && ticks < ticksPastYear9999 ? ticks : undefined;
}

const ticksPastYear9999 = 3_155_378_976_000_000_000n;

function zoneOffsetMs(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone[0] === '-' ? -minutes : minutes) * 60_000;
}
