/** Loaded into a server before its own code: answers its parent with how long the event loop was held up. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

process.on('message', question => {
  if (question === 'reset') {
    delay.reset();
    return;
  }
  // The monitor counts the time from one of its looks to the next, of which a millisecond is no delay.
  const delayMs = nanoseconds => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  process.send({
    p50Ms: delayMs(delay.percentile(50)),
    p99Ms: delayMs(delay.percentile(99)),
    maxMs: delayMs(delay.max),
  });
});
process.channel.unref();
