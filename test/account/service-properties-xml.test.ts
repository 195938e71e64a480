import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultServiceProperties, type ServiceProperties } from '../../src/account/service-properties.ts';
import { formatServiceProperties, parseServiceProperties } from '../../src/account/service-properties-xml.ts';
import * as limits from '../../src/limits.ts';

const version = '2019-02-02';
const bom = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
const off = '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>';
const refused = { code: 'InvalidXmlDocument', status: 400 };

function parse(content: string, of = version): Partial<ServiceProperties> {
  return parseServiceProperties(
    Buffer.from(`<StorageServiceProperties>${content}</StorageServiceProperties>`),
    of,
  );
}

function rule(changes: Record<string, string | undefined> = {}): string {
  const elements = {
    AllowedOrigins: 'http://a.com',
    AllowedMethods: 'GET',
    AllowedHeaders: '',
    ExposedHeaders: '',
    MaxAgeInSeconds: '5',
    ...changes,
  };
  const texts = Object.entries(elements).map(([name, text]) =>
    text === undefined ? '' : `<${name}>${text}</${name}>`,
  );
  return `<CorsRule>${texts.join('')}</CorsRule>`;
}

const full: ServiceProperties = {
  logging: { version: '1.0', read: true, write: false, delete: true, retention: { enabled: true, days: 5 } },
  hourMetrics: { version: '1.0', enabled: true, includeApis: false, retention: { enabled: true, days: 365 } },
  minuteMetrics: { version: '1.0', enabled: false, retention: { enabled: false } },
  cors: [
    {
      allowedOrigins: ['www.xyz.com', 'www.ab.com'],
      allowedMethods: ['GET', 'PUT'],
      allowedHeaders: ['x-ms-meta-xyz', 'x-ms-meta-data*'],
      exposedHeaders: ['x-ms-meta-abc'],
      maxAgeSeconds: 500,
    },
    {
      allowedOrigins: ['*'],
      allowedMethods: ['MERGE'],
      allowedHeaders: [],
      exposedHeaders: [],
      maxAgeSeconds: 0,
    },
  ],
};

describe('service properties in XML', () => {
  it('are written in the order of the service, to the byte', () => {
    assert.equal(
      formatServiceProperties(full, version),
      `${bom}<StorageServiceProperties>` +
        '<Logging><Version>1.0</Version><Read>true</Read><Write>false</Write><Delete>true</Delete><RetentionPolicy><Enabled>true</Enabled><Days>5</Days></RetentionPolicy></Logging>' +
        '<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>365</Days></RetentionPolicy></HourMetrics>' +
        `<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled>${off}</MinuteMetrics>` +
        '<Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>www.xyz.com,www.ab.com</AllowedOrigins><AllowedHeaders>x-ms-meta-xyz,x-ms-meta-data*</AllowedHeaders><ExposedHeaders>x-ms-meta-abc</ExposedHeaders><MaxAgeInSeconds>500</MaxAgeInSeconds></CorsRule>' +
        '<CorsRule><AllowedMethods>MERGE</AllowedMethods><AllowedOrigins>*</AllowedOrigins><AllowedHeaders /><ExposedHeaders /><MaxAgeInSeconds>0</MaxAgeInSeconds></CorsRule></Cors>' +
        '</StorageServiceProperties>',
    );
  });

  it('come back as they were written', () => {
    for (const properties of [full, defaultServiceProperties]) {
      assert.deepEqual(
        parseServiceProperties(Buffer.from(formatServiceProperties(properties, version)), version),
        properties,
      );
    }
  });

  it('may leave out any part, which is to stay as it is', () => {
    assert.deepEqual(parse('<Cors/>'), { cors: [] });
    assert.deepEqual(
      parse(`<HourMetrics>${off}<Enabled>FALSE</Enabled><Version>1.0</Version></HourMetrics>`),
      { hourMetrics: defaultServiceProperties.hourMetrics },
    );
  });

  it('had one kind of metrics and no CORS before 2013-08-15', () => {
    const metrics = `<Metrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>${off}</Metrics>`;
    const hourMetrics = { version: '1.0', enabled: true, includeApis: true, retention: { enabled: false } };
    assert.deepEqual(parse(metrics, '2012-02-12'), { hourMetrics });
    assert.throws(() => parse(metrics), refused);
    assert.throws(() => parse('<Cors/>', '2012-02-12'), refused);
    assert.match(
      formatServiceProperties(full, '2012-02-12'),
      /<\/Logging><Metrics>.*<\/Metrics><\/StorageServiceProperties>$/,
    );
  });

  it('keep logs and metrics from 1 to 365 days', () => {
    const logging = (retention: string): string =>
      `<Logging><Version>1.0</Version><Delete>true</Delete><Read>true</Read><Write>true</Write><RetentionPolicy>${retention}</RetentionPolicy></Logging>`;
    for (const days of [1, limits.retentionDaysMax]) {
      assert.deepEqual(parse(logging(`<Enabled>true</Enabled><Days>${days}</Days>`)).logging?.retention, {
        enabled: true,
        days,
      });
    }
    for (const days of ['0', '366', '-1', '1.5', 'many', '']) {
      assert.throws(() => parse(logging(`<Enabled>true</Enabled><Days>${days}</Days>`)), refused, days);
    }
    assert.throws(() => parse(logging('<Enabled>true</Enabled>')), refused);
    assert.throws(() => parse(logging('')), refused);
  });

  it('have up to five CORS rules, each within its limits', () => {
    assert.equal(parse(`<Cors>${rule().repeat(limits.corsRulesMax)}</Cors>`).cors?.length, 5);
    assert.throws(() => parse(`<Cors>${rule().repeat(limits.corsRulesMax + 1)}</Cors>`), refused);
    const list = (count: number, text: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => text(index)).join(',');
    const good = [
      rule({ AllowedOrigins: list(limits.corsOriginsMax, index => `http://${index}`) }),
      rule({ AllowedOrigins: 'o'.repeat(limits.corsOriginUnitsMax) }),
      rule({ AllowedHeaders: `${list(limits.corsHeadersMax, index => `x${index}`)},y*,*` }),
      rule({ AllowedMethods: 'DELETE,GET,HEAD,MERGE,PATCH,POST,OPTIONS,PUT', MaxAgeInSeconds: '0' }),
    ];
    for (const text of good) assert.equal(parse(`<Cors>${text}</Cors>`).cors?.length, 1, text);
    const bad = [
      rule({ AllowedOrigins: list(limits.corsOriginsMax + 1, index => `http://${index}`) }),
      rule({ AllowedOrigins: 'o'.repeat(limits.corsOriginUnitsMax + 1) }),
      ...['x\r\ny', 'x y', 'é', 'a:b', 'a**', '*a', 'x\u0085y'].map(ExposedHeaders =>
        rule({ ExposedHeaders }),
      ),
      rule({ AllowedHeaders: 'x-ms-date,x y' }),
      rule({ AllowedHeaders: list(limits.corsHeadersMax + 1, index => `x${index}`) }),
      rule({ ExposedHeaders: 'a*,b*,c*' }),
      rule({ AllowedMethods: 'TRACE' }),
      rule({ AllowedMethods: 'get' }),
      rule({ AllowedMethods: '' }),
      rule({ AllowedOrigins: '' }),
      rule({ MaxAgeInSeconds: '-1' }),
      rule({ MaxAgeInSeconds: '' }),
      rule({ AllowedHeaders: 'x'.repeat(limits.corsRulesBytesMax) }),
      ...['AllowedOrigins', 'AllowedMethods', 'AllowedHeaders', 'ExposedHeaders', 'MaxAgeInSeconds'].map(
        name => rule({ [name]: undefined }),
      ),
      '<Rule/>',
      'text',
    ];
    for (const text of bad) assert.throws(() => parse(`<Cors>${text}</Cors>`), refused, text);
  });

  it('are refused where anything is wrong with them', () => {
    const metrics = (content: string): string => `<HourMetrics>${content}</HourMetrics>`;
    for (const content of [
      '',
      'text',
      '<Unknown/>',
      '<DefaultServiceVersion>2019-02-02</DefaultServiceVersion>',
      '<Cors/><Cors/>',
      metrics(''),
      metrics(`<Version>1.0</Version><Enabled>true</Enabled>${off}`),
      metrics(`<Version>1.0</Version><Enabled>maybe</Enabled>${off}`),
      metrics(`<Version>2.0</Version><Enabled>false</Enabled>${off}`),
      metrics(`<Enabled>false</Enabled>${off}`),
      metrics('<Version>1.0</Version><Enabled>false</Enabled>'),
      metrics(`<Version>1.0</Version>${off}`),
    ]) {
      assert.throws(() => parse(content), refused, content);
    }
    assert.throws(() => parseServiceProperties(Buffer.from('<Other><Cors/></Other>'), version), refused);
    assert.throws(() => parseServiceProperties(Buffer.alloc(0), version), refused);
  });
});
