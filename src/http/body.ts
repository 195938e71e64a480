import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';

/** Of a body past the limit, or of a refused request, so much is read before the server hangs up. */
const discardedBytesMax = 16 * limits.requestBodyBytesMax;

/** The client hung up in the middle of its request: nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Bytes that a request's body may come to hold: as many as any body may, where it says more or nothing. */
export function announcedBytes(request: IncomingMessage): number {
  const length = request.headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), limits.requestBodyBytesMax);
  return request.headers['transfer-encoding'] === undefined ? 0 : limits.requestBodyBytesMax;
}

/** The whole body. Rejects with RequestBodyTooLarge past limits.requestBodyBytesMax, and with ClientGone. */
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
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
  });
}

/**
 * Reads what nobody wants of a body, and throws it away, before its request is answered: a client that still
 * sends when the server hangs up does not see the answer, and one that is answered early may be answered twice.
 * A body that is not worth it stays incomplete.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  const isWorthIt = Number(request.headers['content-length'] ?? 0) <= discardedBytesMax;
  if (!isWorthIt || request.complete || request.destroyed || request.isPaused()) return Promise.resolve();
  return new Promise(resolve => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= discardedBytesMax) return;
      request.pause();
      resolve();
    });
    request.on('end', resolve);
    request.on('error', () => resolve());
    request.on('close', resolve);
  });
}
