import { activeSpan, tracer, type Span } from '@roster/telemetry';

/** The span of a statement, if what it is executed for is traced. Its text and values are not part of it. */
export const startStatement = (name: string): Span | undefined =>
  tracer?.startSpan(name, activeSpan(), {
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
  });
