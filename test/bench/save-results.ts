import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../bench/results.json', import.meta.url));
const runs = fileURLToPath(new URL('../../bench/runs/', import.meta.url));
const widthMax = 100;

/** Replaces the stored summary of a benchmark. */
export function saveResults(name: string, summary: object): void {
  const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
  writeFileSync(file, `${json({ ...all, [name]: summary })}\n`);
}

/** Stores the summary of one run in a file of its own. Returns its path. */
export function saveRun(summary: object): string {
  mkdirSync(runs, { recursive: true });
  const path = `${runs}${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(path, `${json(summary)}\n`);
  return path;
}

/** In the style of the formatter: an object of plain values takes one line if it fits. */
function json(value: unknown, indent = '', prefixLength = 0): string {
  if (typeof value === 'number') return JSON.stringify(rounded(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  const [open, close] = isArray ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const prefixOf = (key: string) => (isArray ? '' : `${JSON.stringify(key)}: `);
  if (!isArray && entries.every(([, one]) => typeof one !== 'object')) {
    const line = `{ ${entries.map(([key, one]) => prefixOf(key) + json(one)).join(', ')} }`;
    // Leaves room for a comma.
    if (indent.length + prefixLength + line.length < widthMax) return line;
  }
  const lines = entries.map(([key, one]) => {
    const prefix = prefixOf(key);
    return `${indent}  ${prefix}${json(one, `${indent}  `, prefix.length)}`;
  });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Four significant digits. */
const rounded = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(4));
