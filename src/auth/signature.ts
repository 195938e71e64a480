import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Base64 of the HMAC-SHA256 of a text: what Shared Key and shared access signatures are made of. */
export function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

/** Whether one of the keys made the signature, which is compared in constant time. */
export function isSigned(keys: readonly KeyObject[], signature: string, text: string): boolean {
  const claimed = Buffer.from(signature, 'base64');
  return keys.some(key => {
    const expected = createHmac('sha256', key).update(text).digest();
    return claimed.length === expected.length && timingSafeEqual(claimed, expected);
  });
}
