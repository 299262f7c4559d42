import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The version that is built with Go if neither kubectl nor a supported version of kustomize is on the PATH. */
const version = 'v5.7.1';
const major = 5;
const builtHere = join(homedir(), '.cache', 'roster', `kustomize-${version}`);

/** A program and its arguments that build the kustomization of a directory. */
export type Kustomize = readonly [program: string, ...args: string[]];

/**
 * Undefined if kustomize can neither be found nor built.
 *
 * @throws Error when an installed program does not respond
 */
export async function findKustomize(): Promise<Kustomize | undefined> {
  if (await isRecent('kubectl', ['version', '--client', '--output=json'])) {
    return ['kubectl', 'kustomize'];
  }
  if (await isRecent('kustomize', ['version'])) return ['kustomize', 'build'];
  const cached = join(builtHere, 'kustomize');
  if (!(await isThere(cached))) await install(cached);
  return (await isThere(cached)) ? [cached, 'build'] : undefined;
}

/** Built with Go if available. The installation is atomic for concurrent processes. */
async function install(program: string): Promise<void> {
  await mkdir(builtHere, { recursive: true });
  const directory = await mkdtemp(join(builtHere, 'unfinished-'));
  // The test runner ends tests without output after two minutes.
  const saying = setInterval(() => console.log('Building kustomize…'), 30_000);
  try {
    await run('go', ['install', `sigs.k8s.io/kustomize/kustomize/v5@${version}`], {
      env: { ...process.env, GOBIN: directory },
      timeout: 300_000,
    });
    await rename(join(directory, 'kustomize'), program);
  } catch {
    // Without Go, or without access to its downloads, there is no kustomize.
  } finally {
    clearInterval(saying);
    await rm(directory, { recursive: true, force: true });
  }
}

/** kubectl contains kustomize and reports its version. */
async function isRecent(program: string, args: readonly string[]): Promise<boolean> {
  let answer;
  try {
    answer = await run(program, args, { timeout: 60_000 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new Error(`${program} is installed but does not respond`, { cause: error });
  }
  const [, found] = /(?:kustomizeVersion": ?"|^|kustomize\/)v(\d+)\./.exec(answer.stdout) ?? [];
  return Number(found) >= major;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export async function buildKustomization(
  [program, ...args]: Kustomize,
  directory: string,
): Promise<string> {
  const { stdout } = await run(program, [...args, directory], {
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  });
  return stdout;
}
