import { activeSpan, tracer, type Span } from '@roster/telemetry';

/** The span of a statement, if what it is executed for is traced. Its text and values are not part of it. */
export function startStatement(name: string): Span | undefined {
  const parent = tracer && activeSpan();
  if (!parent) return undefined;
  return tracer?.startSpan(name, parent, {
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
  });
}
