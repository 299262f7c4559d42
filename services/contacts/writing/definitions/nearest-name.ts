import { distance } from 'fastest-levenshtein';

/**
 * The name that a misspelled one probably means, ignoring case; undefined if none differs by less than half of it. A transposition
 * counts as two changes.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let max = name.length < 3 ? 0 : Math.min(4, Math.floor(name.length / 2));
  let nearest: string | undefined;
  for (const other of names) {
    if (Math.abs(other.length - name.length) > max) continue;
    const changes = distance(wanted, other.toLowerCase());
    if (changes > max) continue;
    nearest = other;
    if (changes === 0) break;
    max = changes - 1;
  }
  return nearest;
}
