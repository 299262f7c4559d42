import { z } from 'zod';

/** An advisory that does not concern Roster. */
export interface Exception {
  /** Its ID, such as GHSA-… */
  advisory: string;
  reason: string;
  /** The date from which it must be judged again, as YYYY-MM-DD. */
  until: string;
}

export interface Judgement {
  lines: string[];
  failed: boolean;
}

const failing = new Set(['high', 'critical']);

const advisory = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.string(),
  range: z.string(),
});
type Advisory = z.infer<typeof advisory>;

/** The format of `npm audit --json`: an advisory is listed with its package, and by name with those that depend on it. */
const found = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ via: z.array(z.union([z.string(), advisory])) }),
  ),
});

/** The lock file cannot be audited, whatever the registry answers. */
const refused = z.object({
  error: z.object({ code: z.enum(['ENOLOCK', 'EAUDITNOLOCK', 'EUSAGE']), summary: z.string() }),
});
const unavailable = z.object({ message: z.string() });

/**
 * Judges the output of `npm audit --json`. An advisory of severity high or critical fails, unless an exception is in force. A
 * registry that is unreachable or has no audit passes, and is reported in one line.
 */
export function judgeAdvisories(
  printed: string,
  exceptions: readonly Exception[],
  today: Date,
): Judgement {
  const json = parse(printed);
  const audit = found.safeParse(json);
  if (!audit.success) {
    const refusal = refused.safeParse(json);
    if (refusal.success) return { lines: [`audit: ${refusal.data.error.summary}`], failed: true };
    const [why = ''] = (unavailable.safeParse(json).data?.message ?? printed).trim().split('\n');
    return { lines: [`audit: not done, the registry did not answer: ${why}`], failed: false };
  }
  const all = Object.values(audit.data.vulnerabilities).flatMap(({ via }) =>
    via.filter((one) => typeof one !== 'string'),
  );
  const advisories = [...new Map(all.map((one) => [idOf(one), one])).values()];
  const judged = advisories.map((one) => judge(one, exceptions, today));
  const failures = judged.filter(({ failed }) => failed).length;
  const unused = exceptions.filter(
    (one) => !advisories.some((other) => idOf(other) === one.advisory),
  );
  return {
    lines: [
      ...judged.map(({ line }) => line),
      ...unused.map((one) => `audit: the exception for ${one.advisory} is no longer needed`),
      `audit: ${advisories.length} advisories, ${failures} of them failing`,
    ],
    failed: failures > 0,
  };
}

function judge(one: Advisory, exceptions: readonly Exception[], today: Date) {
  const what = `${one.severity}: ${one.name} ${one.range}: ${one.title} (${one.url})`;
  if (!failing.has(one.severity)) return { line: what, failed: false };
  const exception = exceptions.find((other) => other.advisory === idOf(one));
  if (!exception) return { line: what, failed: true };
  const { reason, until } = exception;
  if (today.toISOString().slice(0, 10) < until)
    return { line: `${what}. Excepted until ${until}: ${reason}`, failed: false };
  return { line: `${what}. Its exception ended on ${until}: ${reason}`, failed: true };
}

/** The last part of the address of an advisory is its ID. */
const idOf = ({ url }: Advisory): string => url.slice(url.lastIndexOf('/') + 1);

function parse(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return undefined;
  }
}
