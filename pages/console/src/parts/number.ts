const percentOf = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A share as a percentage that is 100 % or 0 % only if it is all or none. */
export function percent(part: number, total: number): string {
  if (total === 0) return '–';
  const share = part / total;
  return percentOf.format(
    part === total || part === 0 ? share : Math.min(0.999, Math.max(0.001, share)),
  );
}

/** "2.7 s", "188 ms", "0.4 ms". */
export function duration(ms: number): string {
  if (ms >= 9950) return `${Math.round(ms / 1000)} s`;
  if (ms >= 995) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}

/** "1 attempt", "1,203 attempts". */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : several}`;
