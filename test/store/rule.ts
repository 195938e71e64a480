import { ServiceError } from '../../src/errors.ts';
import type { Decide } from '../../src/store/store.ts';

/** What the tests of stores want done to one row: plain data, as stores hand it on. */
export type RowIntent =
  | { readonly to: 'put' | 'append' | 'insert'; readonly text: string }
  | { readonly to: 'remove' | 'count' | 'stamp' | 'refuse' | 'fail' | 'put no buffer' };

export function put(text: string): RowIntent {
  return { to: 'put', text };
}

/** The rule that the tests open stores with. */
export const decideRows: Decide<RowIntent> = (intents, current, tick) => {
  const rows: (Buffer | null)[] = [];
  for (const [index, intent] of intents.entries()) {
    const row = current[index];
    switch (intent.to) {
      case 'put':
        rows.push(Buffer.from(intent.text));
        break;
      case 'append':
        rows.push(Buffer.from(`${row ?? 'nothing'}, ${intent.text}`));
        break;
      case 'insert':
        if (row !== undefined) return new ServiceError('EntityAlreadyExists').at(index);
        rows.push(Buffer.from(intent.text));
        break;
      case 'remove':
        rows.push(null);
        break;
      case 'count':
        rows.push(Buffer.from(String(Number(row ?? 0) + 1)));
        break;
      case 'stamp':
        rows.push(Buffer.from(String(tick)));
        break;
      case 'refuse':
        return new ServiceError('UpdateConditionNotSatisfied', 'as was asked').at(index);
      case 'fail':
        throw new Error('a bug');
      case 'put no buffer':
        rows.push('no buffer' as never);
    }
  }
  return rows;
};
