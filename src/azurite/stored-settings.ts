import { formatAccessPolicies, parseAccessPolicies } from '../account/access-policies-xml.ts';
import type { AccessPolicy } from '../account/access-policy.ts';
import {
  type CorsRule,
  defaultServiceProperties,
  type RequestMetrics,
  type Retention,
  type ServiceProperties,
} from '../account/service-properties.ts';
import { formatServiceProperties, parseServiceProperties } from '../account/service-properties-xml.ts';
import { ServiceError } from '../errors.ts';
import { tablePermissions } from '../table/set-table-acl.ts';
import { isObject, LeftOutError } from './stored-value.ts';

// What the emulator keeps is written as the XML of a client and read as that is: one set of rules for both.

/** The first version whose XML has all sections. */
const version = '2013-08-15';

/**
 * Reads the access policies in a document of a table:
 *
 *     [{"id":"readers","accessPolicy":{"start":"2024-01-02T03:04:05Z","expiry":"…","permission":"r"}}, …]
 *
 * Throws LeftOutError.
 */
export function readStoredPolicies(stored: unknown): AccessPolicy[] {
  if (stored === undefined || stored === null) return [];
  if (!Array.isArray(stored)) throw new LeftOutError('they are no list');
  const policies = stored.map((element: unknown): AccessPolicy => {
    const { id, accessPolicy } = membersOf(element);
    const { start, expiry, permission } = membersOf(accessPolicy);
    return {
      id: String(id),
      ...(typeof start === 'string' ? { start } : {}),
      ...(typeof expiry === 'string' ? { expiry } : {}),
      ...(typeof permission === 'string' ? { permissions: permission } : {}),
    };
  });
  return refusedAsXml(() =>
    parseAccessPolicies(Buffer.from(formatAccessPolicies(policies)), tablePermissions),
  );
}

/** What was set, of a document with the service properties of an account. Throws LeftOutError. */
export function readStoredProperties(stored: unknown): Partial<ServiceProperties> {
  const { logging, hourMetrics, minuteMetrics, cors } = membersOf(stored);
  const written: Partial<ServiceProperties> = {
    ...(isObject(logging) ? { logging: readLogging(logging) } : {}),
    ...(isObject(hourMetrics) ? { hourMetrics: readMetrics(hourMetrics) } : {}),
    ...(isObject(minuteMetrics) ? { minuteMetrics: readMetrics(minuteMetrics) } : {}),
    ...(Array.isArray(cors) ? { cors: cors.map(readRule) } : {}),
  };
  const xml = formatServiceProperties({ ...defaultServiceProperties, ...written }, version);
  const parsed = refusedAsXml(() => parseServiceProperties(Buffer.from(xml), version));
  return Object.fromEntries(Object.entries(parsed).filter(([section]) => section in written));
}

function readLogging(stored: Record<string, unknown>): ServiceProperties['logging'] {
  return {
    version: String(stored.version),
    read: stored.read as boolean,
    write: stored.write as boolean,
    delete: stored.deleteProperty as boolean,
    retention: readRetention(stored.retentionPolicy),
  };
}

function readMetrics(stored: Record<string, unknown>): RequestMetrics {
  return {
    version: String(stored.version),
    enabled: stored.enabled as boolean,
    ...(stored.includeAPIs === undefined ? {} : { includeApis: stored.includeAPIs as boolean }),
    retention: readRetention(stored.retentionPolicy),
  };
}

function readRetention(stored: unknown): Retention {
  const { enabled, days } = membersOf(stored);
  return { enabled: enabled as boolean, ...(days === undefined ? {} : { days: days as number }) };
}

function readRule(stored: unknown): CorsRule {
  const rule = membersOf(stored);
  const list = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : []);
  return {
    allowedOrigins: list(rule.allowedOrigins),
    allowedMethods: list(rule.allowedMethods),
    allowedHeaders: list(rule.allowedHeaders),
    exposedHeaders: list(rule.exposedHeaders),
    maxAgeSeconds: rule.maxAgeInSeconds as number,
  };
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function refusedAsXml<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ServiceError) throw new LeftOutError(`${error.code}: ${error.message}`);
    throw error;
  }
}
