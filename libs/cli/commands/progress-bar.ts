const barLength = 20;

/** How much of something is done. */
export function bar(done: number, total: number): string {
  const full = total === 0 ? barLength : Math.round((barLength * done) / total);
  return `[${'#'.repeat(full).padEnd(barLength, '.')}]`;
}
