import { type Case, compose } from '../compose.ts';
import { mutateBytes } from '../mutate.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { validDraft } from './operations.ts';

/** Bytes that need not be HTTP, or are more than one request, or less. */
export function rawCase(random: Random, world: World): Case {
  const pieces = random.choose<Buffer[]>([
    [8, () => [mutateOften(random, request(random, world))]],
    [4, () => inPieces(random, request(random, world))],
    [2, () => [cutOff(random, request(random, world))]],
    [2, () => [Buffer.concat(random.repeat(random.between(2, 12), () => request(random, world)))]],
    [2, () => [Buffer.concat([request(random, world), mutateOften(random, request(random, world))])]],
    [3, () => [reframed(random, request(random, world))]],
    [2, () => [misChunked(random, request(random, world))]],
    [1, () => [random.bytes(random.size(5000))]],
    [1, () => [random.pick(otherProtocols)]],
    [1, () => [crowdedHead(random)]],
  ]);
  return { pieces, manner: 'thrown', isHead: false };
}

function request(random: Random, world: World): Buffer {
  return Buffer.concat(compose(random, world, validDraft(random, world)).pieces);
}

function mutateOften(random: Random, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let rest = random.size(8); rest > 0; rest--) mutated = mutateBytes(random, mutated);
  return mutated;
}

/** Byte by byte at times. */
function inPieces(random: Random, bytes: Buffer): Buffer[] {
  const most = random.onceIn(4) ? 1 : random.between(2, 400);
  const pieces: Buffer[] = [];
  for (let at = 0; at < Math.min(bytes.length, 400 * most); at += most)
    pieces.push(bytes.subarray(at, at + most));
  return pieces;
}

function cutOff(random: Random, bytes: Buffer): Buffer {
  return bytes.subarray(0, random.below(bytes.length));
}

const chunkings: readonly string[] = [
  ...[
    '1;\r\nx\r\n0\r\n\r\n',
    '1 ;a="b"\r\nx\r\n0\r\n\r\n',
    '-1\r\n\r\n',
    '1\r\nxx\r\n0\r\n\r\n',
    '0\r\n',
    '1\r\nx',
  ],
  ...[
    `${'f'.repeat(16)}\r\n`,
    `${'0'.repeat(50_000)}1\r\nx\r\n0\r\n\r\n`,
    `1;${'e'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`,
  ],
  ...[
    '1;a=b\r\nx\r\n'.repeat(9000),
    '0\r\nx-trailer: y\r\n'.padEnd(150_000, 'z'),
    '\r\n1\r\nx\r\n0\r\n\r\n',
    '1\nx\n0\n\n',
  ],
];

/** A body in chunks that are none, or too many, or too long. */
function misChunked(random: Random, bytes: Buffer): Buffer {
  const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n')).replace(/\r\nContent-Length: \d+/, '');
  return Buffer.from(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n${random.pick(chunkings)}`, 'latin1');
}

/** Lengths that contradict each other or the body, which is where requests are smuggled. */
function reframed(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const line = random.pick(framingLines);
  const headEnd = text.indexOf('\r\n\r\n');
  const head = random.onceIn(2)
    ? text.slice(0, headEnd)
    : text.slice(0, headEnd).replace(/\r\nContent-Length: \d+/, '');
  const lineEnd = random.onceIn(8) ? random.pick(['\n', '\r', '\r\n ', '\r\r\n']) : '\r\n';
  return Buffer.from(`${head}${lineEnd}${line}${text.slice(headEnd)}`, 'latin1');
}

const framingLines: readonly string[] = [
  ...['Content-Length: 0', 'Content-Length: 5', 'Content-Length: 99999999999999999999', 'Content-Length: -1'],
  ...[
    'Content-Length: 5, 5',
    'Content-Length: 0x5',
    'Content-Length: +5',
    'Content-Length:',
    'Content-Length : 5',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: gzip, chunked',
  ],
  ...[
    'Transfer-Encoding: identity',
    'Transfer-Encoding: x',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding : chunked',
  ],
  ...['Transfer-Encoding: chunked\r\nContent-Length: 3', 'Content-Length: 3\r\nTransfer-Encoding: chunked'],
  ...[
    'Expect: 100-continue',
    'Connection: Content-Length',
    'Trailer: Content-Length',
    'TE: trailers',
    ': x',
    ' folded',
  ],
];

const otherProtocols: readonly Buffer[] = [
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3, ...Array<number>(200).fill(7)]),
  Buffer.from('GET /\r\n\r\n'),
  Buffer.from('GET / HTTP/0.9\r\n\r\n'),
  Buffer.from('GET / HTTP/1.0\r\n\r\n'),
  Buffer.from('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'),
  Buffer.from('GET / HTTP/3.0\r\nHost: x\r\n\r\n'),
  Buffer.from('CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n'),
  Buffer.from('OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'),
  Buffer.from('GET http:// HTTP/1.1\r\nHost: x\r\n\r\n'),
  Buffer.from('\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  Buffer.from('SSH-2.0-x\r\n'),
  Buffer.from('\0\0\0\0'),
  Buffer.alloc(0),
];

function crowdedHead(random: Random): Buffer {
  const line = random.pick([
    'a: b\r\n',
    `${'h'.repeat(2000)}: v\r\n`,
    `x: ${'v'.repeat(9000)}\r\n`,
    'Content-Length: 0\r\n',
    ' \r\n',
  ]);
  const target = `/${'t'.repeat(random.pick([1, 100, 64_000, 140_000]))}`;
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n${line.repeat(random.size(4000))}\r\n`);
}
