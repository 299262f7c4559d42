import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span.js';
import { tracer } from './tracer.js';

const active = new AsyncLocalStorage<Span | undefined>();

/** The span for which the current work is done. */
export const activeSpan = (): Span | undefined => active.getStore();

/** Runs `work` for a span, including what it starts asynchronously; without one, for none. */
export const withSpan = <T>(span: Span | undefined, work: () => T): T =>
  tracer && span !== active.getStore() ? active.run(span, work) : work();
