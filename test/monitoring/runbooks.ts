import { readdirSync, readFileSync } from 'node:fs';
import { repository } from './repository.js';

/** A page of `deploy/runbooks`, with its queries and statements. */
export interface Runbook {
  name: string;
  text: string;
  promql: string[];
  sql: string[];
}

const directory = repository('deploy/runbooks/');

export const runbooks: readonly Runbook[] = readdirSync(directory)
  .toSorted()
  .map((file) => {
    const text = readFileSync(directory + file, 'utf8');
    const blocks = (language: string) =>
      [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
        ([, code]) => code!,
      );
    return {
      name: file.replace('.md', ''),
      text,
      // Queries are separated by empty lines.
      promql: blocks('promql').flatMap((code) => code.trim().split(/\n\s*\n/)),
      sql: blocks('sql'),
    };
  });
