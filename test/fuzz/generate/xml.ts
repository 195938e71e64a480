import { mutateTextOften } from '../mutate.ts';
import type { Random } from '../random.ts';

/** Bodies of the surfaces that speak XML: access policies and service properties. */
interface Element {
  readonly name: string;
  readonly children: readonly Element[] | string;
}

/** Ids that shared access signatures name, too. */
export const policyIds = ['policy1', 'policy2', 'testid'] as const;
const oddIds = ['i'.repeat(65), '', ' ', '日本', '<', ']]>', '\u0000'];

export function accessPolicies(random: Random): Buffer {
  const first = random.below(policyIds.length);
  const identifiers = policyIds.slice(first).map(id => signedIdentifier(random, id));
  if (random.oddOnceIn(12)) {
    const more = random.repeat(random.pick([1, 5, 6, 50]), () =>
      signedIdentifier(random, random.pick(policyIds)),
    );
    identifiers.push(...more);
  }
  return document(random, element('SignedIdentifiers', identifiers));
}

function signedIdentifier(random: Random, id: string): Element {
  const policy = [
    element('Start', random.pickUsually(10, ['2021-06-08T02:05:09Z', '2021-06-08'], oddDates)),
    element(
      'Expiry',
      random.pickUsually(10, ['2099-06-08T02:05:09.1234567Z', '2099-06-08T02:05Z'], oddDates),
    ),
    element('Permission', random.pickUsually(10, ['r', 'raud', 'duar', 'ra'], ['', 'x', 'rr', 'R', 'r a'])),
  ].filter(() => !random.onceIn(6));
  const children = [element('Id', random.pickUsually(10, [id, id, 'i'.repeat(64)], oddIds))];
  if (!random.onceIn(10)) children.push(element('AccessPolicy', policy));
  return element('SignedIdentifier', children);
}

const oddDates: readonly string[] = [
  ...['1999-01-01', '', 'x', '2021-02-30', '2021-06-08T02:05:09+05:00', '0001-01-01', '99999-01-01'],
  ...['2021-06-08T25:00:00Z', '2021-06-08T02:05:09.12345678Z', ' 2021-06-08 ', '20210608'],
];

export function serviceProperties(random: Random): Buffer {
  const children = [logging(random), metrics(random, 'HourMetrics'), metrics(random, 'MinuteMetrics')];
  const kept = [...children.filter(() => random.onceIn(2)), cors(random)];
  if (random.oddOnceIn(20)) {
    kept.push(metrics(random, 'Metrics'), element('DefaultServiceVersion', '2019-02-02'));
  }
  return document(random, element('StorageServiceProperties', random.oddOnceIn(20) ? [] : kept));
}

function logging(random: Random): Element {
  return element('Logging', [
    element('Version', random.pickUsually(10, ['1.0'], ['2.0', '', 'x'])),
    ...['Read', 'Write', 'Delete'].map(name => element(name, boolean(random))),
    retention(random),
  ]);
}

function metrics(random: Random, name: string): Element {
  const isEnabled = random.onceIn(2);
  return element(name, [
    element('Version', '1.0'),
    element('Enabled', random.oddOnceIn(15) ? boolean(random) : String(isEnabled)),
    ...(isEnabled || random.oddOnceIn(4) ? [element('IncludeAPIs', boolean(random))] : []),
    retention(random),
  ]);
}

const oddDays = ['366', '0', '-1', '', 'x', '1.5', '99999999999999999999', ' 7 ', '1e2', '0x7'];

function retention(random: Random): Element {
  const isEnabled = random.onceIn(2);
  return element('RetentionPolicy', [
    element('Enabled', String(isEnabled)),
    ...(isEnabled !== random.oddOnceIn(8)
      ? [element('Days', random.pickUsually(8, ['1', '7', '365'], oddDays))]
      : []),
  ]);
}

function boolean(random: Random): string {
  return random.pickUsually(15, ['true', 'false'], ['', 'True', 'yes', '1', ' true ']);
}

function cors(random: Random): Element {
  const count = random.oddOnceIn(12) ? random.pick([5, 6, 40]) : random.below(4);
  return element('Cors', random.repeat(count, corsRule));
}

const origins = ['*', 'http://www.contoso.com', 'http://a,https://b.c:8443', 'null'];
const methods = ['GET,PUT,POST', 'MERGE', 'GET,HEAD,OPTIONS,DELETE,PATCH', 'PUT'];
const headers = ['*', 'x-ms-meta-data*,content-type', '', 'x-ms-*', 'accept,x-ms-date,etag'];

function corsRule(random: Random): Element {
  const oddLists = [
    '',
    ',,,',
    'FROB',
    'x y',
    '*x',
    'x\r\ny: z',
    'é',
    'o'.repeat(257),
    'a,'.repeat(100),
    '*,*,*',
  ];
  return element('CorsRule', [
    element(
      'AllowedOrigins',
      random.pickUsually(10, origins, [...oddLists, 'https://*.b', 'http://a\u0001']),
    ),
    element('AllowedMethods', random.pickUsually(10, methods, [...oddLists, 'get'])),
    element('AllowedHeaders', random.pickUsually(10, headers, oddLists)),
    element('ExposedHeaders', random.pickUsually(10, headers, oddLists)),
    element(
      'MaxAgeInSeconds',
      random.pickUsually(8, ['0', '500'], ['-1', '', 'x', '2147483648', '1e9', ' 5']),
    ),
  ]);
}

function element(name: string, children: readonly Element[] | string): Element {
  return { name, children };
}

const declarations = ['<?xml version="1.0" encoding="utf-8"?>', '', "<?xml version='1.0'?>\r\n"];
const oddDeclarations = [
  '\ufeff',
  '\ufeff<?xml version="1.0"?>',
  '<?xml version="1.1" encoding="utf-16"?>',
  ' <?xml?>',
];

/** The tree as text, out of order, with members twice or not at all, and in the clothes that XML allows. */
function document(random: Random, root: Element): Buffer {
  if (random.oddOnceIn(15)) return Buffer.from(random.pick(hostileDocuments));
  const text = random.pickUsually(10, declarations, oddDeclarations) + print(random, root);
  if (!random.oddOnceIn(3)) return Buffer.from(text);
  return random.choose<Buffer>([
    [12, () => Buffer.from(mutateTextOften(random, text))],
    [1, () => Buffer.from(text, 'utf16le')],
    [1, () => Buffer.from(text, 'latin1')],
    [1, () => Buffer.concat([Buffer.from(text), random.bytes(random.size(20))])],
  ]);
}

const attributes = [
  ' a="b"',
  ' xmlns="urn:x"',
  ' a="1" a="2"',
  " a='&lt;'",
  ' xml:space="preserve"',
  ' a',
  ' a=b',
];
const between = ['\n  ', '\r\n', ' ', '<!-- - -->', '<?pi x?>', 'text', '<x/>'];

function print(random: Random, { name, children }: Element): string {
  const tag = random.oddOnceIn(80)
    ? random.pick([`x:${name}`, name.toLowerCase(), `${name}s`, `${name} `])
    : name;
  const opening = `${tag}${random.oddOnceIn(40) ? random.pick(attributes) : ''}`;
  if (children.length === 0 && random.onceIn(2)) return random.onceIn(2) ? `<${opening} />` : `<${opening}/>`;
  if (typeof children === 'string') return `<${opening}>${printText(random, children)}</${tag}>`;
  let members = children.filter(() => !random.oddOnceIn(60));
  if (random.onceIn(10)) members = members.toReversed();
  if (random.oddOnceIn(60)) members = [...members, ...members];
  const space = random.oddOnceIn(10) ? random.pick(between) : '';
  return `<${opening}>${members.map(member => space + print(random, member)).join('')}${space}</${tag}>`;
}

function printText(random: Random, text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  if (!random.oddOnceIn(20)) return escaped;
  return random.choose<string>([
    [1, () => `<![CDATA[${text}]]>`],
    [1, () => [...text].map(character => `&#${character.codePointAt(0)};`).join('')],
    [1, () => ` ${escaped}\n`],
    [1, () => `${escaped}<!-- c -->`],
    [1, () => `<b>${escaped}</b>`],
  ]);
}

const laughs = Array.from(
  { length: 30 },
  (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
);
const manyAttributes = Array.from({ length: 3000 }, (_, index) => `a${index}="b"`);

function policyNamed(id: string): string {
  return `<SignedIdentifiers><SignedIdentifier><Id>${id}</Id></SignedIdentifier></SignedIdentifiers>`;
}

const hostileDocuments: readonly string[] = [
  `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs.join('')}]>${policyNamed('&l30;')}`,
  `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>${policyNamed('&f;')}`,
  '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><StorageServiceProperties/>',
  `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`,
  '<a>'.repeat(5000),
  `<SignedIdentifiers>${'<SignedIdentifier/>'.repeat(5000)}</SignedIdentifiers>`,
  `<SignedIdentifiers ${manyAttributes.join(' ')}/>`,
  `<StorageServiceProperties><Cors>${'<CorsRule>'.repeat(2000)}</Cors></StorageServiceProperties>`,
  `<StorageServiceProperties><Logging><Version>${'1'.repeat(100_000)}</Version></Logging></StorageServiceProperties>`,
  ...[
    '',
    ' ',
    '<',
    '<a',
    '<a/><a/>',
    '<?xml?>',
    '&',
    '<a>&lt</a>',
    '<!--',
    '<![CDATA[',
    '\0',
    '{}',
    '<a b=c/>',
  ],
  ...[
    '</a>',
    '<!DOCTYPE',
    '<!DOCTYPE x [',
    '<!DOCTYPE x [<!ENTITY % a "b">%a;]><x/>',
    policyNamed('&#xFFFFFFFF;'),
  ],
];
