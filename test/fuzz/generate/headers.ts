import type { Header } from '../draft.ts';
import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { formatText } from './queries.ts';

/** The headers that most clients send, each with a usual value mostly. */
export function usualHeaders(random: Random, world: World): Header[] {
  const headers: Header[] = [
    ['Accept', formatText(random)],
    ['x-ms-version', random.oddOnceIn(8) ? versionText(random) : '2019-02-02'],
    [random.onceIn(12) ? 'Date' : 'x-ms-date', dateText(random, world)],
  ];
  if (random.onceIn(3)) headers.push(['DataServiceVersion', '3.0'], ['MaxDataServiceVersion', '3.0;NetFx']);
  if (random.oddOnceIn(10)) headers.push(['x-ms-client-request-id', clientRequestId(random)]);
  return headers;
}

function dateText(random: Random, world: World): string {
  const nowMs = world.now();
  if (!random.oddOnceIn(15)) return new Date(nowMs).toUTCString();
  return random.choose<string>([
    [2, () => new Date(nowMs + (random.below(2_400_000) - 1_200_000)).toUTCString()],
    [1, () => new Date(nowMs).toISOString()],
    [
      1,
      () =>
        random.pick(['', 'yesterday', '0', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT', '9'.repeat(400), '275761']),
    ],
    [1, () => mutateTextOften(random, new Date(nowMs).toUTCString())],
  ]);
}

function versionText(random: Random): string {
  return random.choose<string>([
    [
      6,
      () => random.pick(['2026-06-06', '2020-12-06', '2015-12-11', '2013-08-15', '2012-02-12', '2009-04-14']),
    ],
    [
      2,
      () =>
        random.pick([
          '',
          '2009-04-13',
          '2099-01-01',
          '2019-02-30',
          '9999-99-99',
          '2019-2-2',
          'latest',
          '0000-00-00',
        ]),
    ],
    [1, () => mutateTextOften(random, '2019-02-02')],
  ]);
}

function clientRequestId(random: Random): string {
  return random.pick([
    'a',
    'x y',
    '',
    '"',
    '<a>&',
    'é',
    '\t',
    'i'.repeat(1024),
    'i'.repeat(1025),
    '{0}',
    '%0d%0a',
  ]);
}

/** A value of If-Match. */
export function etagText(random: Random, world?: World): string {
  const own = `W/"datetime'20${random.between(10, 40)}-01-01T00%3A00%3A00.1234567Z'"`;
  if (!random.oddOnceIn(6)) {
    return random.onceIn(3) ? (world?.learned.recall('etag', random.below(1000)) ?? own) : '*';
  }
  return random.onceIn(4) ? mutateTextOften(random, own) : random.pick(oddEtags);
}

const oddEtags: readonly string[] = [
  ...[
    '"x"',
    'abc',
    '',
    'W/"wrong"',
    'w/"datetime\'\'"',
    '*, *',
    'W/"a", W/"b"',
    'W/"',
    '"*"',
    'W/"datetime\'x\'"',
  ],
];

/** What no request needs, or needs otherwise. */
export function oddHeader(random: Random): Header {
  return random.choose<Header>([
    [3, () => ['If-None-Match', random.pick(['*', '"x"', 'W/"x"', ''])]],
    [3, () => ['If-Match', etagText(random)]],
    [
      3,
      () => [
        'X-HTTP-Method',
        random.pick(['MERGE', 'PUT', 'DELETE', 'PATCH', 'GET', 'merge', ' ', 'PUT,PUT', 'FROB', 'é']),
      ],
    ],
    [
      2,
      () => [
        'Prefer',
        random.pick(['return-no-content', 'return-content', ' return-content ', 'x', '', 'é']),
      ],
    ],
    [3, () => ['Content-Type', contentType(random)]],
    [2, () => ['Accept', formatText(random)]],
    [2, () => ['x-ms-version', versionText(random)]],
    [
      2,
      () => [
        'Origin',
        random.pick(['http://www.contoso.com', 'null', '', '*', 'é', 'http://a b', 'http://x,http://y']),
      ],
    ],
    [1, () => ['Access-Control-Request-Method', random.pick(['PUT', 'GET', '', 'FROB', 'é'])]],
    [
      1,
      () => [
        'Access-Control-Request-Headers',
        random.pick(['x-ms-date', '*', ',,,', '', 'x'.repeat(5000), 'é']),
      ],
    ],
    [
      1,
      () => [
        'Authorization',
        random.pick(['', 'SharedKey', 'Bearer x.y.z', 'SharedKeyLite a:b', 'Basic YTpi', ':']),
      ],
    ],
    [1, () => ['Expect', random.pick(['100-continue', '200-ok', ''])]],
    [1, () => ['Connection', random.pick(['close', 'keep-alive', 'upgrade', 'x', 'close, keep-alive'])]],
    [1, () => ['Upgrade', random.pick(['h2c', 'websocket', ''])]],
    [1, () => ['Content-MD5', random.pick(['', 'x', '1B2M2Y8AsgTpgAmY7PhCfg=='])]],
    [1, () => ['Content-Encoding', random.pick(['gzip', 'identity', 'br', 'x'])]],
    [1, () => ['Accept-Charset', random.pick(['UTF-8', 'x', ''])]],
    [1, () => ['Cookie', 'c=d'.repeat(random.size(3000))]],
    [1, () => ['Range', 'bytes=0-5']],
    [
      1,
      () => [
        'Host',
        random.pick(['', 'x', 'localhost', 'é', 'a.table.', '.table.x', '[::1]', '127.0.0.1:99999', '%']),
      ],
    ],
    [1, () => [`x-${random.below(100)}`, 'y'.repeat(random.size(60_000))]],
    [1, () => [random.pick(['__proto__', 'constructor', 'toString', 'x_y', 'a!b']), 'z']],
  ]);
}

export function contentType(random: Random): string {
  return random.choose<string>([
    [
      3,
      () =>
        random.pick([
          'application/json',
          'application/json;odata=nometadata',
          'application/xml',
          'Application/JSON ; a',
        ]),
    ],
    [
      2,
      () =>
        random.pick([
          '',
          'text/plain',
          'application/atom+xml',
          'application/x-www-form-urlencoded',
          ';',
          'a'.repeat(5000),
        ]),
    ],
    [1, () => mutateTextOften(random, 'application/json;odata=minimalmetadata')],
  ]);
}

/** Many or long headers, around what a head may hold. */
export function crowdOfHeaders(random: Random): Header[] {
  const count = random.pick([10, 100, 999, 1000, 1001, 1999, 2000, 2001, 3000]);
  return Array.from({ length: count }, (_, index): Header => [`x-crowd-${index}`, 'v']);
}
