import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const charactersMax = 4000;

/** Lines of Roster, NATS and PostgreSQL about normal operation. */
const isNormal = (line: string): boolean =>
  /^\{"level":"(info|debug)"/.test(line) || / \[(INF|DBG|TRC)\] | LOG: {2}/.test(line);

/** A line of normal operation is a problem only if it shows why a call was refused. */
const isProblem = (line: string): boolean =>
  !isNormal(line) || /"code":"(unavailable|timeout)"|"status":50|the stream holds/.test(line);

/** The last lines of a log that report problems. */
export function problemLines(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  return lines.filter(isProblem).join('\n').slice(-charactersMax);
}

/** The lines of every log in a folder that reports problems, each preceded by the name of its file. */
export const problemLinesOfAll = (folder: string): string =>
  readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, lines: problemLines(join(folder, name)) }))
    .filter(({ lines }) => lines !== '')
    .map(({ name, lines }) => `${name}:\n${lines}`)
    .join('\n');
