import {
  childrenByName,
  formatText,
  invalidXml,
  parseXml,
  type XmlElement,
  xmlOpening,
} from '../http/xml.ts';
import * as limits from '../limits.ts';
import type {
  CorsRule,
  Logging,
  RequestMetrics,
  Retention,
  ServiceProperties,
} from './service-properties.ts';

/** The first version with CORS and with metrics by the minute; older ones call those by the hour `Metrics`. */
const firstCorsVersion = '2013-08-15';

/**
 * Reads the body of Set Table Service Properties: what it does not mention is to stay as it is. Throws
 * InvalidXmlDocument.
 */
export function parseServiceProperties(body: Buffer, version: string): Partial<ServiceProperties> {
  const root = parseXml(body);
  if (root.name !== 'StorageServiceProperties' || root.children.length === 0) throw invalidXml();
  if (version < firstCorsVersion) {
    const { Logging: logging, Metrics: metrics } = childrenByName(root, ['Logging', 'Metrics']);
    return {
      ...(logging === undefined ? {} : { logging: readLogging(logging) }),
      ...(metrics === undefined ? {} : { hourMetrics: readMetrics(metrics) }),
    };
  }
  const sections = ['Logging', 'HourMetrics', 'MinuteMetrics', 'Cors'] as const;
  const { Logging: logging, HourMetrics, MinuteMetrics, Cors } = childrenByName(root, sections);
  return {
    ...(logging === undefined ? {} : { logging: readLogging(logging) }),
    ...(HourMetrics === undefined ? {} : { hourMetrics: readMetrics(HourMetrics) }),
    ...(MinuteMetrics === undefined ? {} : { minuteMetrics: readMetrics(MinuteMetrics) }),
    ...(Cors === undefined ? {} : { cors: readCors(Cors) }),
  };
}

function readLogging(element: XmlElement): Logging {
  const names = ['Version', 'Delete', 'Read', 'Write', 'RetentionPolicy'] as const;
  const { Version, Delete, Read, Write, RetentionPolicy } = childrenByName(element, names);
  return {
    version: readVersion(Version),
    read: readBoolean(Read),
    write: readBoolean(Write),
    delete: readBoolean(Delete),
    retention: readRetention(RetentionPolicy),
  };
}

function readMetrics(element: XmlElement): RequestMetrics {
  const names = ['Version', 'Enabled', 'IncludeAPIs', 'RetentionPolicy'] as const;
  const { Version, Enabled, IncludeAPIs, RetentionPolicy } = childrenByName(element, names);
  const common = { version: readVersion(Version), retention: readRetention(RetentionPolicy) };
  const includeApis = IncludeAPIs && readBoolean(IncludeAPIs);
  if (!readBoolean(Enabled)) return { ...common, enabled: false };
  if (includeApis === undefined) throw invalidXml();
  return { ...common, enabled: true, includeApis };
}

function readRetention(element: XmlElement | undefined): Retention {
  const { Enabled, Days } = childrenByName(required(element), ['Enabled', 'Days']);
  const days = Days && readWhole(Days);
  if (!readBoolean(Enabled)) return { enabled: false };
  if (days === undefined || days < 1 || days > limits.retentionDaysMax) throw invalidXml();
  return { enabled: true, days };
}

function readVersion(element: XmlElement | undefined): string {
  if (required(element).text !== '1.0') throw invalidXml();
  return '1.0';
}

function readBoolean(element: XmlElement | undefined): boolean {
  const text = required(element).text.toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalidXml();
  return text === 'true';
}

function readWhole({ text }: XmlElement): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidXml();
  return Number(text);
}

function required(element: XmlElement | undefined): XmlElement {
  if (element === undefined) throw invalidXml();
  return element;
}

function readCors({ children, text }: XmlElement): CorsRule[] {
  if (text !== '' || children.length > limits.corsRulesMax) throw invalidXml();
  const bytes = children.flatMap(rule => rule.children).reduce((sum, { text }) => sum + text.length, 0);
  if (bytes > limits.corsRulesBytesMax) throw invalidXml();
  return children.map(readCorsRule);
}

const corsMethods = new Set(['DELETE', 'GET', 'HEAD', 'MERGE', 'PATCH', 'POST', 'OPTIONS', 'PUT']);

function readCorsRule(element: XmlElement): CorsRule {
  const names = [
    'AllowedOrigins',
    'AllowedMethods',
    'AllowedHeaders',
    'ExposedHeaders',
    'MaxAgeInSeconds',
  ] as const;
  const rule = childrenByName(element, names);
  if (element.name !== 'CorsRule') throw invalidXml();
  const allowedOrigins = readList(rule.AllowedOrigins);
  const allowedMethods = readList(rule.AllowedMethods);
  const isLong = allowedOrigins.some(origin => origin.length > limits.corsOriginUnitsMax);
  if (allowedOrigins.length === 0 || allowedOrigins.length > limits.corsOriginsMax || isLong)
    throw invalidXml();
  if (allowedMethods.length === 0 || allowedMethods.some(method => !corsMethods.has(method)))
    throw invalidXml();
  return {
    allowedOrigins,
    allowedMethods,
    allowedHeaders: readHeaders(rule.AllowedHeaders),
    exposedHeaders: readHeaders(rule.ExposedHeaders),
    maxAgeSeconds: readWhole(required(rule.MaxAgeInSeconds)),
  };
}

/** What HTTP allows for the name of a header, or the beginning of one: answers repeat it in a header. */
const headerPattern = /^(?:[!#$%&'+.^_`|~\w-]+\*?|\*)$/;

function readHeaders(element: XmlElement | undefined): readonly string[] {
  const headers = readList(element);
  if (!headers.every(header => headerPattern.test(header))) throw invalidXml();
  const prefixes = headers.filter(header => header.endsWith('*'));
  if (prefixes.length > limits.corsHeaderPrefixesMax) throw invalidXml();
  if (headers.length - prefixes.length > limits.corsHeadersMax) throw invalidXml();
  return headers;
}

function readList(element: XmlElement | undefined): readonly string[] {
  return required(element)
    .text.split(',')
    .map(text => text.trim())
    .filter(text => text !== '');
}

/** The body of Get Table Service Properties. */
export function formatServiceProperties(properties: ServiceProperties, version: string): string {
  const { logging, hourMetrics, minuteMetrics, cors } = properties;
  const flags = `${formatBoolean('Read', logging.read)}${formatBoolean('Write', logging.write)}${formatBoolean('Delete', logging.delete)}`;
  const metrics =
    version < firstCorsVersion
      ? formatMetrics('Metrics', hourMetrics)
      : `${formatMetrics('HourMetrics', hourMetrics)}${formatMetrics('MinuteMetrics', minuteMetrics)}${formatCors(cors)}`;
  return (
    `${xmlOpening}<StorageServiceProperties><Logging>${formatText('Version', logging.version)}${flags}` +
    `${formatRetention(logging.retention)}</Logging>${metrics}</StorageServiceProperties>`
  );
}

function formatMetrics(name: string, { version, enabled, includeApis, retention }: RequestMetrics): string {
  const apis = includeApis === undefined ? '' : formatBoolean('IncludeAPIs', includeApis);
  return `<${name}>${formatText('Version', version)}${formatBoolean('Enabled', enabled)}${apis}${formatRetention(retention)}</${name}>`;
}

function formatRetention({ enabled, days }: Retention): string {
  const period = days === undefined ? '' : formatText('Days', String(days));
  return `<RetentionPolicy>${formatBoolean('Enabled', enabled)}${period}</RetentionPolicy>`;
}

function formatCors(rules: readonly CorsRule[]): string {
  return rules.length === 0 ? '<Cors />' : `<Cors>${rules.map(formatCorsRule).join('')}</Cors>`;
}

function formatCorsRule(rule: CorsRule): string {
  const elements = [
    formatText('AllowedMethods', rule.allowedMethods.join(',')),
    formatText('AllowedOrigins', rule.allowedOrigins.join(',')),
    formatText('AllowedHeaders', rule.allowedHeaders.join(',')),
    formatText('ExposedHeaders', rule.exposedHeaders.join(',')),
    formatText('MaxAgeInSeconds', String(rule.maxAgeSeconds)),
  ];
  return `<CorsRule>${elements.join('')}</CorsRule>`;
}

function formatBoolean(name: string, value: boolean): string {
  return formatText(name, String(value));
}
