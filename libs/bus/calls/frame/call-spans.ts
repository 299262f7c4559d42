import { Fault } from '@roster/contracts';
import type { Attributes, Span } from '@roster/telemetry';

/** https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
export const messagingAttributes = (
  destination: string,
  step: 'send' | 'process' | 'publish',
): Attributes => ({
  'messaging.system': 'nats',
  'messaging.destination.name': destination,
  'messaging.operation.name': step,
  'messaging.operation.type': step === 'publish' ? 'send' : step,
});

/** Ends the span with the outcome of what it is about. */
export async function endWith<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (error) {
    span.end(error instanceof Fault ? error.code : 'internal');
    throw error;
  }
}
