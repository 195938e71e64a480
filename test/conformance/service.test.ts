import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type RawResponse, rawClient } from '../support/raw-client.ts';
import { useWire, type Wire } from '../support/wire.ts';
import { assertError, assertXmlAnswer } from './answers.ts';
import { conforms } from './conforms.ts';

const opening = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
const invalidDocument = {
  status: '400 Bad Request',
  code: 'InvalidXmlDocument',
  message: 'XML specified is not syntactically valid.',
  shape: 'prefixed xml',
} as const;

const off = '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>';
const days = (count: number): string =>
  `<RetentionPolicy><Enabled>true</Enabled><Days>${count}</Days></RetentionPolicy>`;
const logging = (flags: string, retention: string): string =>
  `<Logging><Version>1.0</Version>${flags}${retention}</Logging>`;
const metrics = (name: string, retention: string): string =>
  `<${name}><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>${retention}</${name}>`;
const noMetrics = (name: string): string =>
  `<${name}><Version>1.0</Version><Enabled>false</Enabled>${off}</${name}>`;
const noLogging = logging('<Read>false</Read><Write>false</Write><Delete>false</Delete>', off);
const allLogging = logging('<Read>true</Read><Write>true</Write><Delete>true</Delete>', days(5));
const rule = (origin: string): string =>
  `<CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>${origin}</AllowedOrigins><AllowedHeaders>x-ms-meta-xyz,x-ms-meta-data*</AllowedHeaders><ExposedHeaders>x-ms-meta-abc</ExposedHeaders><MaxAgeInSeconds>500</MaxAgeInSeconds></CorsRule>`;
const rules = `<Cors>${rule('www.xyz.com,www.ab.com')}</Cors>`;
const root = (...children: string[]): string =>
  `<StorageServiceProperties>${children.join('')}</StorageServiceProperties>`;

/** What a test does with the properties of a server's own. */
function useProperties(wire: Wire) {
  const path = '/?restype=service&comp=properties';
  const set = (body: string): Promise<RawResponse> =>
    wire.send({ method: 'PUT', path, headers: { 'Content-Type': 'application/xml' }, body });
  const assertProperties = async (...children: string[]): Promise<void> => {
    const body = `${opening}${root(...children)}`;
    const headers = body.includes('<CorsRule>') ? ['vary: Origin'] : [];
    await assertXmlAnswer(wire, await wire.send({ path }), { status: '200 OK', headers, body });
  };
  return {
    assertProperties,
    async assertSet(...children: string[]): Promise<void> {
      await assertXmlAnswer(wire, await set(root(...children)), { status: '202 Accepted' });
    },
    /** That the document is refused, and all is as it was. */
    async assertRefused(body: string, ...shown: string[]): Promise<void> {
      await assertError(wire, await set(body), invalidDocument);
      await assertProperties(...shown);
    },
  };
}

describe('Service properties', () => {
  const wire = useWire();
  const { assertProperties, assertSet, assertRefused } = useProperties(wire);
  const whole = [
    allLogging,
    metrics('HourMetrics', days(5)),
    metrics('MinuteMetrics', days(5)),
    rules,
  ] as const;

  conforms(83, async () => {
    await assertProperties(noLogging, noMetrics('HourMetrics'), noMetrics('MinuteMetrics'), '<Cors />');
    const [logged, hour, minute, cors] = whole;
    await assertSet(cors, minute, hour, logged);
    await assertProperties(...whole);
  });

  conforms(84, async () => {
    for (const children of [whole, [noLogging], ['<Cors />']]) await assertSet(...children);
    const typed = await wire.send({
      method: 'PUT',
      path: '/?comp=properties&restype=service',
      headers: { 'Content-Type': 'application/xml', Accept: 'application/json;odata=nometadata' },
      body: root(noLogging),
    });
    await assertXmlAnswer(wire, typed, { status: '202 Accepted' });
    assert.equal(typed.headers['content-length'], '0');
  });

  conforms(85, async () => {
    const other = [
      logging('<Read>true</Read><Write>false</Write><Delete>true</Delete>', days(365)),
      noMetrics('HourMetrics'),
      metrics('MinuteMetrics', off),
      `<Cors>${rule('http://www.contoso.com')}${rule('http://a')}</Cors>`,
    ] as const;
    for (const [index, child] of other.entries()) {
      await assertSet(...whole);
      await assertSet(child);
      await assertProperties(...whole.with(index, child));
    }
    await assertSet(...whole);
    await assertSet(other[0], other[2]);
    await assertProperties(other[0], whole[1], other[2], whole[3]);
  });

  conforms(86, async () => {
    for (const none of ['<Cors />', '<Cors></Cors>']) {
      await assertSet(...whole);
      await assertSet(none);
      await assertProperties(...whole.slice(0, 3), '<Cors />');
    }
  });

  conforms(87, async () => {
    const origins = ['http://1', 'http://2', 'http://3', 'http://4', 'http://5', 'http://6'];
    await assertSet(...whole);
    await assertRefused(root(`<Cors>${origins.map(rule).join('')}</Cors>`), ...whole);
    const five = `<Cors>${origins.slice(0, 5).map(rule).join('')}</Cors>`;
    await assertSet(five);
    await assertProperties(...whole.slice(0, 3), five);
  });

  conforms(88, async () => {
    const flags = '<Read>true</Read><Write>true</Write><Delete>true</Delete>';
    const kinds = [
      (retention: string) => logging(flags, retention),
      (retention: string) => metrics('HourMetrics', retention),
      (retention: string) => metrics('MinuteMetrics', retention),
    ];
    for (const [index, kind] of kinds.entries()) {
      for (const count of [1, 365]) {
        await assertSet(...whole);
        await assertSet(kind(days(count)));
        await assertProperties(...whole.with(index, kind(days(count))));
      }
      await assertSet(...whole);
      for (const count of [366, 0, -1]) await assertRefused(root(kind(days(count))), ...whole);
      const without = '<RetentionPolicy><Enabled>true</Enabled></RetentionPolicy>';
      await assertRefused(root(kind(without)), ...whole);
    }
  });

  conforms(89, async () => {
    await assertSet(...whole);
    for (const body of [
      '<StorageServiceProperties />',
      '<StorageServiceProperties></StorageServiceProperties>',
      '<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties/>',
      '<StorageServiceProperties>\n</StorageServiceProperties>',
      '',
      '<StorageServiceProperties>',
    ]) {
      await assertRefused(body, ...whole);
    }
  });

  conforms(90, async () => {
    await assertSet('<Cors />');
    const path = '/?restype=service&comp=stats';
    const secondary = rawClient(`${await wire.base()}-secondary`);
    const response = await secondary({ path });
    const [, time = ''] = /<LastSyncTime>(.*)<\/LastSyncTime>/.exec(response.body) ?? [];
    await assertXmlAnswer(wire, response, {
      status: '200 OK',
      body: `${opening}<StorageServiceStats><GeoReplication><Status>live</Status><LastSyncTime>${time}</LastSyncTime></GeoReplication></StorageServiceStats>`,
    });
    assert.equal(new Date(time).toUTCString(), time);
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time);
    await assertError(wire, await wire.send({ path }), {
      status: '400 Bad Request',
      code: 'InvalidQueryParameterValue',
      message: 'Value for one of the query parameters specified in the request URI is invalid.',
      shape: 'prefixed xml',
    });
  });
});
