import { Fault, type Operation } from '@roster/contracts';
import { isSampled, tracer, type Span } from '@roster/telemetry';
import type { AnswerTo, Call } from '../frame/call.js';
import { messagingAttributes } from '../frame/call-spans.js';

/** The spans of the calls of a batch that are traced. */
export class BatchSpans {
  /** By the index of the call. */
  readonly #spans: readonly (Span | undefined)[];
  /** The first one, below which is what the batch does for all calls. The others have links to it. */
  readonly first: Span | undefined;

  private constructor(spans: readonly (Span | undefined)[]) {
    this.#spans = spans;
    this.first = spans.find((span) => span !== undefined);
  }

  /** Undefined if no call is traced. What a handler does for a traced call belongs to its span. */
  static open({ name }: Operation, calls: readonly Call[]): BatchSpans | undefined {
    let first: Span | undefined;
    if (!calls.some(({ traceparent }) => isSampled(traceparent))) return undefined;
    const spans = calls.map((call) => {
      const span = tracer?.startSpan(`process ${name}`, call, {
        kind: 'server',
        attributes: {
          ...messagingAttributes(name, 'process'),
          'messaging.batch.message_count': calls.length,
          'roster.request.id': call.requestId,
          'roster.workspace.id': call.caller.workspaceId,
        },
        ...(first && { links: [first] }),
      });
      first ??= span;
      if (span) call.traceparent = span.traceparent;
      return span;
    });
    return first && new BatchSpans(spans);
  }

  end(answers: readonly AnswerTo<Operation>[]): void {
    for (const [index, span] of this.#spans.entries()) {
      const answer = answers[index];
      const code = answer instanceof Fault ? answer.code : undefined;
      span?.set({ 'roster.fault.code': code });
      span?.end(code !== undefined && failures.has(code) ? code : undefined);
    }
  }
}

/** Faults that are not the fault of the caller. */
const failures: ReadonlySet<string> = new Set(['internal', 'unavailable', 'timeout']);
