import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStoredPolicies, readStoredProperties } from '../../src/azurite/stored-settings.ts';
import { LeftOutError } from '../../src/azurite/stored-value.ts';

const off = { version: '1.0', enabled: false, retentionPolicy: { enabled: false } };
const rule = {
  allowedOrigins: 'https://a.example, https://b.example',
  allowedMethods: 'GET,PUT',
  allowedHeaders: '',
  exposedHeaders: 'x-ms-*',
  maxAgeInSeconds: 5,
};

describe('readStoredPolicies', () => {
  it('reads policies as they would be set, with what each has', () => {
    assert.deepEqual(
      readStoredPolicies([
        {
          id: 'all',
          accessPolicy: { start: '2024-01-02', expiry: '2024-01-02T03:04:05.5Z', permission: 'ra' },
        },
        { id: '<odd> & "id"', accessPolicy: { permission: '' } },
        { id: 'bare' },
      ]),
      [
        {
          id: 'all',
          start: '2024-01-02T00:00:00.0000000Z',
          expiry: '2024-01-02T03:04:05.5000000Z',
          permissions: 'ra',
        },
        { id: '<odd> & "id"' },
        { id: 'bare' },
      ],
    );
    assert.deepEqual(readStoredPolicies(undefined), []);
    assert.deepEqual(readStoredPolicies([]), []);
  });

  it('refuses what could not be set', () => {
    const policy = (accessPolicy: object, id = 'x') => ({ id, accessPolicy });
    const wrong = [
      [policy({ permission: 'w' })],
      [policy({ expiry: 'tomorrow' })],
      [policy({}, 'x'.repeat(65))],
      [policy({}), policy({})],
      Array.from({ length: 6 }, (_, index) => policy({}, `p${index}`)),
      'readers',
    ];
    for (const stored of wrong) assert.throws(() => readStoredPolicies(stored), LeftOutError);
  });
});

describe('readStoredProperties', () => {
  it('reads the sections that were set, and those alone', () => {
    assert.deepEqual(readStoredProperties({ accountName: 'a', cors: [rule] }), {
      cors: [
        {
          allowedOrigins: ['https://a.example', 'https://b.example'],
          allowedMethods: ['GET', 'PUT'],
          allowedHeaders: [],
          exposedHeaders: ['x-ms-*'],
          maxAgeSeconds: 5,
        },
      ],
    });
    const logging = {
      version: '1.0',
      deleteProperty: true,
      read: false,
      write: true,
      retentionPolicy: { enabled: true, days: 7 },
    };
    const minuteMetrics = { ...off, enabled: true, includeAPIs: false };
    assert.deepEqual(readStoredProperties({ logging, hourMetrics: off, minuteMetrics, cors: undefined }), {
      logging: {
        version: '1.0',
        delete: true,
        read: false,
        write: true,
        retention: { enabled: true, days: 7 },
      },
      hourMetrics: { version: '1.0', enabled: false, retention: { enabled: false } },
      minuteMetrics: { version: '1.0', enabled: true, includeApis: false, retention: { enabled: false } },
    });
    assert.deepEqual(readStoredProperties({ accountName: 'a' }), {});
    assert.deepEqual(readStoredProperties(undefined), {});
  });

  it('refuses what could not be set', () => {
    const wrong = [
      { hourMetrics: { ...off, version: '2.0' } },
      { hourMetrics: { ...off, enabled: true } },
      { minuteMetrics: { ...off, retentionPolicy: { enabled: true, days: 366 } } },
      { logging: {} },
      { cors: [{ ...rule, allowedMethods: 'FETCH' }] },
      { cors: [{ ...rule, maxAgeInSeconds: -1 }] },
      { cors: [5] },
      { cors: Array.from({ length: 6 }, () => rule) },
    ];
    for (const stored of wrong) assert.throws(() => readStoredProperties(stored), LeftOutError);
  });
});
