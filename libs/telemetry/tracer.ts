import type { Tracer, TracingOptions } from './span.js';

/**
 * Set while spans are recorded. Callers write `tracer?.startSpan(…)`: otherwise nothing is evaluated, and the SDK of
 * OpenTelemetry is not loaded.
 */
export let tracer: Tracer | undefined;

/** Records spans until the returned function is called. It resolves when they are exported, after two seconds at most. */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { openRecorder } = await import('./recorder.js');
  const recorder = openRecorder(options);
  tracer = recorder;
  return async () => {
    tracer = undefined;
    await recorder.close();
  };
}
