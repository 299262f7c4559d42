import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@roster/testing';
import type { ExecutionContext } from 'ava';

const run = promisify(execFile);
export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const clientFolder = join(root, 'libs/client');
/** A path in the packages of this repository. */
export const installed = (path: string) => join(root, 'node_modules', path);

/** The package as it is published. */
export async function packClient(t: ExecutionContext): Promise<string> {
  const folder = await temporaryDirectory(t);
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder, '--silent'], {
    cwd: clientFolder,
  });
  return join(folder, stdout.trim());
}

/** An empty project of ESM in which the package is installed, without a registry. */
export async function emptyProject(t: ExecutionContext): Promise<string> {
  const packed = await packClient(t);
  const folder = await temporaryDirectory(t);
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const options = ['--offline', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...options, packed], { cwd: folder });
  return folder;
}

/** What a program prints, also one that fails. */
export async function outputOf(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, NO_COLOR: '1', ...env } };
  const { stdout, stderr } = await run(command, args, options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${stdout}${stderr}`;
}

export const compilers = {
  'TypeScript 5.9': '../libs/typescript-5.9/node_modules/typescript/bin/tsc',
  'TypeScript 7': 'typescript/bin/tsc',
};

/** What a program finds beside the language. */
export const environments = {
  dom: { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  node: { lib: ['es2023'], types: ['node'], typeRoots: [installed('@types')] },
};

/** Compiles program.ts of a folder as a strict program, and returns what the compiler prints. */
export async function compile(
  folder: string,
  compiler: string = compilers['TypeScript 7'],
  options: object = { module: 'nodenext', ...environments.node },
): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ skipLibCheck: false, target: 'es2023', outDir: '.', rootDir: '.' },
    ...options,
  };
  const tsconfig = { compilerOptions, files: ['program.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  return outputOf(process.execPath, [installed(compiler), '-p', '.'], folder);
}
