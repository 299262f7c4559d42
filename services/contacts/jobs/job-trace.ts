import { encodeId } from '@roster/contracts';
import { traceOfText, tracer, traceText, type Span, type TraceContext } from '@roster/telemetry';

/** What the row of a job keeps of the request that creates it: null unless that is traced. */
export const storedTraceOf = (call: TraceContext): string | null =>
  tracer ? traceText(call) : null;

/**
 * Begins the span of a slice below the request that created the job, in whatever process that was.
 *
 * @param slice what the span is called, and the ID of the job
 * @param workspaceId a UUID
 * @param trace that of the row of the job
 */
export function startSlice(
  slice: { name: string; id: string } | undefined,
  workspaceId: string,
  trace: string | null,
): Span | undefined {
  if (!slice || trace === null) return undefined;
  return tracer?.startSpan(slice.name, traceOfText(trace), {
    kind: 'consumer',
    attributes: {
      'roster.job.id': slice.id,
      'roster.workspace.id': encodeId('workspace', workspaceId),
    },
  });
}
