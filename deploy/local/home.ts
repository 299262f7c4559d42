import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Data of a local system by default. */
export const defaultHome = join(root, '.roster');

/** The folder with the data of a local system. The command line starts without the rest of the configuration, which is slow to load. */
export const homeOf = ({ ROSTER_HOME: given }: NodeJS.ProcessEnv): string =>
  resolve(given || defaultHome);

/** The command shown in the usage: set by the launcher of the image, otherwise `npm run roster --`. */
export const commandName = (): string =>
  process.env['ROSTER_COMMAND'] ?? 'npm run --silent roster --';
