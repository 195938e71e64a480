import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';

/** A body past the limit is read on and thrown away, so that the client sees the answer; but not forever. */
const discardedBytesMax = 16 * limits.requestBodyBytesMax;

/** Bytes that a request's body may come to hold: as many as any body may, where it says more or nothing. */
export function announcedBytes(request: IncomingMessage): number {
  const length = request.headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), limits.requestBodyBytesMax);
  return request.headers['transfer-encoding'] === undefined ? 0 : limits.requestBodyBytesMax;
}

/** The whole body. Rejects with RequestBodyTooLarge past limits.requestBodyBytesMax. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limits.requestBodyBytesMax) chunks.push(chunk);
      else chunks = [];
      if (bytes > discardedBytesMax) {
        request.pause();
        reject(new ServiceError('RequestBodyTooLarge'));
      }
    });
    request.on('end', () => {
      if (bytes > limits.requestBodyBytesMax) reject(new ServiceError('RequestBodyTooLarge'));
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Error('the client went away'));
    });
  });
}
