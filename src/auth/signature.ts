import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Base64 of the HMAC-SHA256 of a text: what Shared Key and shared access signatures are made of. */
export function sign(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

/** Base64 of 32 bytes. */
const signatureUnits = 44;
const claimed = Buffer.alloc(signatureUnits);
const expected = Buffer.alloc(signatureUnits);

/** Whether one of the keys made the signature, which is compared in constant time. */
export function isSigned(
  keys: readonly KeyObject[],
  signature: string,
  text: string,
  signText: typeof sign = sign,
): boolean {
  if (signature.length !== signatureUnits) return false;
  claimed.write(signature, 'latin1');
  return keys.some(key => {
    expected.write(signText(key, text), 'latin1');
    return timingSafeEqual(claimed, expected);
  });
}

const keptMax = 256;
/** Nobody has shown a key yet: what is kept for those who ask must not grow with what they send. */
const keptTextUnitsMax = 1024;
const kept = new WeakMap<KeyObject, Map<string, string>>();

/** What `sign` makes, kept for texts that come again: those of requests to one table within a second. */
export function signOnce(key: KeyObject, text: string): string {
  if (text.length > keptTextUnitsMax) return sign(key, text);
  let signatures = kept.get(key);
  if (signatures === undefined) {
    signatures = new Map();
    kept.set(key, signatures);
  }
  let signature = signatures.get(text);
  if (signature === undefined) {
    signature = sign(key, text);
    if (signatures.size === keptMax) signatures.clear();
    signatures.set(text, signature);
  }
  return signature;
}
