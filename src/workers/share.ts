import * as limits from '../limits.ts';

/** What each of so many workers may have, so that all together have what the limits allow. */
export function shareOf(workers: number) {
  const share = (limit: number): number => Math.floor(limit / workers);
  return {
    concurrentScansMax: share(limits.concurrentScansMax),
    patience: {
      bodyBytesMax: share(limits.bodyBytesInFlightMax),
      unsentBytesMax: share(limits.unsentBytesMax),
      connectionsMax: share(limits.connectionsMax),
    },
  };
}
