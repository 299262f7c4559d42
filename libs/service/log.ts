import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Lines are written together when they are this many bytes, or after this long: one system call for all of them. */
const joinedBytesMax = 64 * 1024;
const flushMs = 100;
/** From this level (warn) on, a line is written at once, with all before it. */
const urgentLevel = 40;

/** What must never be in a line, and is censored should somebody pass it. */
const secret = ['authorization', 'apiKey', 'token', 'body'];

/** One JSON line per entry on standard output. Whoever logs passes fields one by one: never a body, a key or a token. */
export function openLog(name: string, level: string): Log {
  return pino(
    {
      name,
      level,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
      // A second fence behind that rule.
      redact: { paths: [...secret, ...secret.map((field) => `*.${field}`)] },
    },
    joinedOutput(),
  );
}

/** The same log for lines whose fields are no objects: looking for secrets within each of them is most of a line's cost. */
export const flatLog = (log: Log): Log => log.child({}, { redact: secret });

let stampedAt = 0;
let stamp = '';

/** ISO 8601, made once for all lines of a millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return stamp;
}

/**
 * Standard output, many lines at a time. They wait as bytes: as text each would be a tree of its fields, which V8 copies from
 * one half of the young generation to the other while it waits. A line costs 2 µs of CPU; with pino's own `minLength` and
 * `periodicFlush` it costs 2.6 to 5 µs and the process up to 30 MB more, and urgent lines would wait with the others.
 */
function joinedOutput() {
  const output = pino.destination({ fd: 1, sync: true });
  const joined = Buffer.allocUnsafeSlow(joinedBytesMax);
  let end = 0;
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (end === 0) return;
    const lines = joined.toString('utf8', 0, end);
    end = 0;
    output.write(lines);
  };
  process.on('exit', flush);
  return {
    // Asks pino for `lastLevel`.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      // No character takes more than three bytes of UTF-8 for each of its units.
      const bytesMax = 3 * line.length;
      if (end + bytesMax > joinedBytesMax) flush();
      if (bytesMax > joinedBytesMax) output.write(line);
      else end += joined.write(line, end);
      if (this.lastLevel >= urgentLevel) flush();
      else timer ??= setTimeout(flush, flushMs).unref();
    },
  };
}

/** Trace id of a W3C traceparent, for log lines. */
export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  traceparent?.slice(3, 35);
