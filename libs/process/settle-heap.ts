import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Flags of V8 that are set after the start. On the command line they would invalidate the compiled code that Node contains for
 * its own modules: compiling those takes 80 ms of processor time.
 */
const flags = [
  // No pretenuring: if earlier objects of an allocation site survived, V8 allocates its next ones in the old generation, and all
  // objects that they reference survive collections of the young generation.
  '--no-allocation-site-pretenuring',
  // A full collection when the heap has grown by half. At 30 %, a gateway spends a quarter of its time on collections under lists.
  '--heap-growing-percent=50',
  '--expose-gc',
];

const settledAfterMs = 10_000;

/**
 * Collects the garbage of the start, a third of the heap, and sets the flags above. Not at once: a collection takes as long as
 * several requests, and after a crash requests are waiting.
 */
export function settleHeapLater(): void {
  setTimeout(settleHeap, settledAfterMs).unref();
}

function settleHeap(): void {
  // The compiled code of the bundle is stored with the flags of now, and loaded with those of the start. See NODE_COMPILE_CACHE.
  flushCompileCache();
  for (const flag of flags) setFlagsFromString(flag);
  // `gc` exists only in contexts that are created after its flag.
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  collect({ type: 'major', flavor: 'last-resort' });
}
