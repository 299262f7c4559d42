import { medianOf } from '../load/latencies.js';
import { saturation, type JobResult } from './compare-job.js';
import { rssMibMax, sizeRatioMax, withKeyRatioMin } from './expectations.js';
import { number } from './report.js';

const notNode = new Set(['postgres', 'nats', 'load']);

/** Expectations that concern several jobs. */
export function reportAcrossJobs(results: readonly JobResult[]): string[] {
  const lines: string[] = [];
  const rate = (job: string) => {
    const rounds = results.find((result) => result.job === job)?.rounds.roster;
    return rounds && medianOf(rounds.clients64.map((_, round) => saturation(rounds, round)));
  };
  const [small, large] = [rate('list-small'), rate('list')];
  if (small !== undefined && large !== undefined) {
    const ratio = small / large;
    const verdict = ratio <= sizeRatioMax ? '✓' : '✗';
    lines.push(
      `\nroster: first page and total of the large workspace cost ${number(ratio, 2)} × those of a small one  ≤ ${sizeRatioMax} × ${verdict}`,
    );
  }
  const [withKey, without] = [rate('create-with-key'), rate('create')];
  if (withKey !== undefined && without !== undefined) {
    const ratio = withKey / without;
    const verdict = ratio >= withKeyRatioMin ? '✓' : '✗';
    lines.push(
      `\nroster: creations with an Idempotency-Key reach ${number(ratio, 2)} × the throughput of those without  ≥ ${withKeyRatioMin} × ${verdict}`,
    );
  }
  const memory = new Map<string, number>();
  for (const { rounds } of results)
    for (const { rssMib } of Object.values(rounds.roster ?? {}).flat())
      for (const [part, mib] of Object.entries(rssMib))
        if (!notNode.has(part)) memory.set(part, Math.max(mib, memory.get(part) ?? 0));
  if (memory.size > 0) {
    const all = [...memory].map(([part, mib]) => `${part} ${number(mib, 0)}`).join(', ');
    const verdict = Math.max(...memory.values()) <= rssMibMax ? '✓' : '✗';
    lines.push(`\nroster: greatest RSS of its processes, MiB: ${all}  ≤ ${rssMibMax} ${verdict}`);
  }
  return lines;
}
