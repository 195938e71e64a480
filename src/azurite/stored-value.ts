/** Why something of the emulator's file cannot be taken over, in words for the operator. */
export class LeftOutError extends Error {
  override readonly name = 'LeftOutError';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
