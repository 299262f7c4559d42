import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const path = [
  process.env['PROMTOOL'] ?? '',
  ...(process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'promtool')),
].find(isExecutable);

/** Runs promtool; undefined if it is not installed. */
export const promtool =
  path === undefined
    ? undefined
    : async (cwd: string, ...args: string[]): Promise<{ passed: boolean; output: string }> => {
        try {
          const { stdout } = await promisify(execFile)(path, args, { cwd });
          return { passed: true, output: stdout };
        } catch (error) {
          const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
          return { passed: false, output: stdout + stderr };
        }
      };

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return file !== '';
  } catch {
    return false;
  }
}
