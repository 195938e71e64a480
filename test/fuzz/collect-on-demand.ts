/**
 * Loaded into the server's process before the server: collects garbage whenever the fuzzer asks, so that what
 * is left is what is held. Needs `--expose-gc`.
 */
const collect = globalThis.gc;
if (collect === undefined) throw new Error('start it with --expose-gc');

process.on('message', async () => {
  // What a first collection lets go of, finalisers among it, a later one frees.
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
// No fuzzer leaves its server behind, however it ends.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel must not keep a server alive that was told to stop.
process.channel?.unref();
