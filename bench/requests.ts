/** Whole HTTP requests as bytes, signed ahead, so that sending one is all that is left to do under load. */

import { accountName, authorizationOf } from './signing.ts';

export interface RequestParts {
  query?: string;
  headers?: string[];
  contentType?: string;
  body?: string;
}

/** Makes requests for one server that are all signed with the same date: good for 15 minutes. */
export class RequestMaker {
  readonly #origin: string;
  readonly #date: string = new Date().toUTCString();

  constructor(port: number) {
    this.#origin = `127.0.0.1:${port}`;
  }

  /** `resource` is the path after the account, with its slash, in its form on the wire. */
  make(method: string, resource: string, parts: RequestParts = {}): Buffer {
    const path = `/${accountName}${resource}`;
    const lines = [
      `${method} ${path}${parts.query === undefined ? '' : `?${parts.query}`} HTTP/1.1`,
      `Host: ${this.#origin}`,
      'Accept: application/json;odata=minimalmetadata',
      'Accept-Encoding: identity',
      'DataServiceVersion: 3.0',
      'x-ms-version: 2019-02-02',
      'x-ms-client-request-id: 5f9bd7b4-6c0e-4a3f-9e55-0d2c1b7a8e90',
      `x-ms-date: ${this.#date}`,
      `Authorization: ${authorizationOf(this.#date, path)}`,
      ...(parts.headers ?? []),
    ];
    const body = parts.body ?? '';
    if (parts.body !== undefined) {
      lines.push(`Content-Type: ${parts.contentType ?? 'application/json'}`);
      lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    }
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  /** An entity group transaction that inserts all of these; the texts stay as they are in the bytes. */
  makeTransaction(tableName: string, entityTexts: string[]): Buffer {
    const parts = entityTexts.map(text =>
      [
        '--changeset_7d2c',
        'Content-Type: application/http',
        'Content-Transfer-Encoding: binary',
        '',
        `POST http://${this.#origin}/${accountName}/${tableName} HTTP/1.1`,
        'Accept: application/json;odata=minimalmetadata',
        'Content-Type: application/json',
        'DataServiceVersion: 3.0',
        'Prefer: return-no-content',
        '',
        text,
        '',
      ].join('\r\n'),
    );
    const opening = '--batch_41f6\r\nContent-Type: multipart/mixed; boundary=changeset_7d2c\r\n\r\n';
    const body = `${opening}${parts.join('')}--changeset_7d2c--\r\n--batch_41f6--\r\n`;
    return this.make('POST', '/$batch', { contentType: 'multipart/mixed; boundary=batch_41f6', body });
  }
}
