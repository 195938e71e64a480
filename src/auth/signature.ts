import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Base64 of the HMAC-SHA256 of a text: what Shared Key and shared access signatures are made of. */
export function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

/** Whether one of the keys made the signature, which is compared in constant time. */
export function isSigned(
  keys: readonly KeyObject[],
  signature: string,
  text: string,
  digestOf: (key: KeyObject, text: string) => Buffer = digest,
): boolean {
  const claimed = Buffer.from(signature, 'base64');
  return keys.some(key => {
    const expected = digestOf(key, text);
    return claimed.length === expected.length && timingSafeEqual(claimed, expected);
  });
}

export function digest(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

const keptDigestsMax = 256;
const keptDigests = new WeakMap<KeyObject, Map<string, Buffer>>();

/** For texts that come again: those of requests to one table within a second. */
export function keptDigest(key: KeyObject, text: string): Buffer {
  let kept = keptDigests.get(key);
  if (kept === undefined) {
    kept = new Map();
    keptDigests.set(key, kept);
  }
  let bytes = kept.get(text);
  if (bytes === undefined) {
    bytes = digest(key, text);
    if (kept.size === keptDigestsMax) kept.clear();
    kept.set(text, bytes);
  }
  return bytes;
}
