import { pino, type Logger } from 'pino';

export type Log = Logger;

/** One JSON line per entry on standard output. Whoever logs passes fields one by one: never a body, a key or a token. */
export function openLog(name: string, level: string): Log {
  return pino({
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    // A second fence behind that rule.
    redact: {
      paths: [
        'authorization',
        'apiKey',
        'token',
        'body',
        '*.authorization',
        '*.apiKey',
        '*.token',
        '*.body',
      ],
    },
  });
}

/** Trace id of a W3C traceparent, for log lines. */
export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  traceparent?.slice(3, 35);
