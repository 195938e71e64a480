import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, bodyText } from '../../src/http/answer.ts';
import { type BatchPart, formatBatch, formatChangeset } from '../../src/table/batch-response.ts';

const etag = `W/"datetime'2021-09-08T18%3A58%3A49.9946552Z'"`;
const location = "http://h/a/t(PartitionKey='001',RowKey='1')";
const json = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';

const inserted: BatchPart = {
  answer: {
    status: 204,
    headers: {
      'Preference-Applied': 'return-no-content',
      ETag: etag,
      Location: location,
      DataServiceId: location,
    },
  },
  dataServiceVersion: '3.0;',
  contentId: undefined,
};
const deleted: BatchPart = {
  answer: { status: 204, headers: {} },
  dataServiceVersion: '1.0;',
  contentId: undefined,
};

/** With both boundaries by name, since they are random. */
function textOf(body: Answer['body']): string {
  return bodyText(body)
    .replaceAll(/changesetresponse_[0-9a-f-]{36}/g, 'CHANGESET')
    .replaceAll(/batchresponse_[0-9a-f-]{36}/g, 'BATCH');
}

function changeset(...parts: BatchPart[]): string {
  return textOf(formatBatch([formatChangeset(parts)]).body);
}

const opening = '--BATCH\r\nContent-Type: multipart/mixed; boundary=CHANGESET\r\n\r\n';
const closing = '--CHANGESET--\r\n--BATCH--\r\n';
const part = '--CHANGESET\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const constant = 'X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n';

describe('the answer of a batch', () => {
  it('is 202 with the boundary bare and spelled as clients need it', () => {
    const { status, headers, body } = formatBatch([formatChangeset([deleted])]);
    assert.equal(status, 202);
    assert.match(
      headers['Content-Type'] as string,
      /^multipart\/mixed; boundary=batchresponse_[0-9a-f-]{36}$/,
    );
    const boundary = headers['Content-Type']?.split('=')[1];
    assert.ok(
      String(body).startsWith(`--${boundary}\r\nContent-Type: multipart/mixed; boundary=changesetresponse_`),
    );
    assert.ok(String(body).endsWith(`--${boundary}--\r\n`));
  });

  it('is, to the byte, the recorded one of an insert and a delete', () => {
    assert.equal(
      changeset(inserted, deleted),
      `${opening}${part}HTTP/1.1 204 No Content\r\n${constant}Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: ${location}\r\nDataServiceId: ${location}\r\nETag: ${etag}\r\n\r\n\r\n${part}HTTP/1.1 204 No Content\r\n${constant}DataServiceVersion: 1.0;\r\n\r\n\r\n${closing}`,
    );
  });

  it('has Content-ID first, among the HTTP headers and not among the MIME headers', () => {
    const updated: BatchPart = {
      answer: { status: 204, headers: { ETag: etag } },
      dataServiceVersion: '1.0;',
      contentId: '7',
    };
    assert.equal(
      changeset(updated),
      `${opening}${part}HTTP/1.1 204 No Content\r\nContent-ID: 7\r\n${constant}DataServiceVersion: 1.0;\r\nETag: ${etag}\r\n\r\n\r\n${closing}`,
    );
  });

  it('has the echo of an insert on one line, behind version and type', () => {
    const echoed: BatchPart = {
      answer: {
        status: 201,
        headers: {
          'Preference-Applied': 'return-content',
          ETag: etag,
          Location: location,
          'Content-Type': json,
        },
        body: Buffer.from('{"a":"é"}'),
      },
      dataServiceVersion: '3.0;',
      contentId: '1',
    };
    assert.equal(
      changeset(echoed),
      `${opening}${part}HTTP/1.1 201 Created\r\nDataServiceVersion: 3.0;\r\nContent-Type: ${json}\r\nContent-ID: 1\r\n${constant}Preference-Applied: return-content\r\nLocation: ${location}\r\nETag: ${etag}\r\n\r\n{"a":"é"}\r\n${closing}`,
    );
  });

  it('has an error with its type last, and a reason phrase', () => {
    const failed: BatchPart = {
      answer: {
        status: 409,
        headers: { 'Preference-Applied': 'return-no-content', 'Content-Type': json },
        body: '{"odata.error":{}}',
      },
      dataServiceVersion: '3.0;',
      contentId: undefined,
    };
    assert.equal(
      changeset(failed),
      `${opening}${part}HTTP/1.1 409 Conflict\r\n${constant}Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nContent-Type: ${json}\r\n\r\n{"odata.error":{}}\r\n${closing}`,
    );
  });

  it('has a query directly in it, without a change set', () => {
    const found: BatchPart = {
      answer: { status: 200, headers: { ETag: etag, 'Content-Type': json }, body: '{}' },
      dataServiceVersion: '3.0;',
      contentId: undefined,
    };
    assert.equal(
      textOf(formatBatch([found]).body),
      `${part.replace('CHANGESET', 'BATCH')}HTTP/1.1 200 OK\r\nDataServiceVersion: 3.0;\r\nContent-Type: ${json}\r\n${constant}ETag: ${etag}\r\n\r\n{}\r\n--BATCH--\r\n`,
    );
  });

  it('never repeats a boundary', () => {
    const boundaries = [1, 2, 3].map(() => formatChangeset([deleted]).boundary);
    assert.equal(new Set(boundaries).size, 3);
  });
});
