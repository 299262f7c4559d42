import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { shortOrLong } from '@roster/testing';

import { Podman } from './podman.js';
import { standInBase } from './stand-in-base.js';

const execute = promisify(execFile);
export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The requirements of tests of the image. */
export type Workshop = { podman: Podman; base: string; work: string };

/** @throws Error if containers run, but the base image cannot be created */
export async function openWorkshop(): Promise<Workshop | { missing: string }> {
  const work = await mkdtemp(join(tmpdir(), 'roster-test-image-'));
  const podman = await Podman.open(work);
  try {
    const missing =
      (await firstAbsent('podman', 'apt-get')) ?? (await noContainerRuns(podman, work));
    if (missing !== undefined) {
      await podman.discard();
      return { missing };
    }
    return { podman, base: await standInBase(podman, root, work), work };
  } catch (error) {
    await podman.discard();
    throw error;
  }
}

async function firstAbsent(...programs: string[]): Promise<string | undefined> {
  for (const program of programs)
    try {
      await execute(program, ['--version']);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return `there is no ${program}`;
    }
  return undefined;
}

/** Some machines have podman but cannot run containers, which a container that runs `true` shows. */
async function noContainerRuns(podman: Podman, work: string): Promise<string | undefined> {
  const archive = join(work, 'true.tar');
  const { stdout } = await execute('ldd', ['/bin/true']);
  const libraries = [...stdout.matchAll(/(\/\S+) \(/g)].map(([, path]) => path!);
  const files = ['/bin/true', ...libraries].map((path) => path.slice(1));
  await execute('tar', ['--dereference', '-C', '/', '-cf', archive, ...files]);
  try {
    await podman.do('import', '--quiet', archive, 'localhost/roster-test-true');
    await podman.do(
      ...['run', '--rm', ...podman.runtime, '--network', 'host'],
      ...['localhost/roster-test-true', '/bin/true'],
    );
    return undefined;
  } catch (error) {
    const lines = (error as Error).message.trim().split('\n');
    return `podman cannot run containers: ${lines.slice(0, 2).join(' ')}`;
  }
}

/**
 * Runs `npm run image` under another name, with the settings that npm needs on this machine mounted during the build. In the
 * short form, the image is of the bundles of this machine's build instead of its own installation and build, which take minutes.
 */
export async function buildImage({ podman, base, work }: Workshop, name: string): Promise<string> {
  const { stdout } = await execute(process.execPath, [join(root, 'deploy/image/build-image.mjs')], {
    env: {
      ...podman.env,
      IMAGE_BUILDER: 'podman',
      IMAGE_NAME: name,
      ...(inShort && { IMAGE_FILE: await withoutBuild(work) }),
      BASE_IMAGE: base,
      IMAGE_BUILD_ARGS: [
        ...podman.runtime,
        ...['--network', 'host', '--pull=never'],
        // Nothing is cached between builds.
        '--layers=false',
        // The bundles are not part of what is sent to a builder.
        ...(inShort ? ['--ignorefile', await ignoringGit(work)] : []),
        ...(await npmMounts(work)),
      ].join(' '),
    },
    maxBuffer: 1e8,
  });
  return stdout;
}

const inShort = shortOrLong(true, false);

/** The Dockerfile, with the files that its build makes taken from this machine's build. */
async function withoutBuild(work: string): Promise<string> {
  const text = readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8');
  const from = text.indexOf('\n# Only the files that the installation depends on');
  const to = text.indexOf('\n# The files of the image');
  if (from < 0 || to < from) throw new Error('The Dockerfile has other comments: adapt this test.');
  const copied = ['deploy/image', 'LICENSE', 'deploy/node-flags'];
  const stage = [
    'FROM ${BASE_IMAGE} AS build',
    'WORKDIR /src',
    ...copied.map((path) => `COPY ${path} ${path}`),
  ];
  const file = join(work, 'Dockerfile');
  await writeFile(file, [text.slice(0, from), ...stage, text.slice(to)].join('\n'));
  return file;
}

/** An empty file would be replaced by the .dockerignore. */
async function ignoringGit(work: string): Promise<string> {
  const file = join(work, 'ignored');
  await writeFile(file, '.git\n');
  return file;
}

/** npm's settings and cache of this machine. They are mounted, and are not part of the image. */
async function npmMounts(work: string): Promise<string[]> {
  const settings = await Promise.all(['userconfig', 'globalconfig'].map(npmSetting));
  const lines = settings.flatMap((file) => (existsSync(file) ? [readFileSync(file, 'utf8')] : []));
  lines.push(`registry=${await npmSetting('registry')}`, 'prefer-offline=true');
  const mounts = [[await npmSetting('cache'), '/root/.npm']];
  const authorities = process.env.NODE_EXTRA_CA_CERTS ?? (await npmSetting('cafile'));
  if (existsSync(authorities)) {
    lines.push('cafile=/etc/npm-authorities.pem');
    mounts.push([authorities, '/etc/npm-authorities.pem:ro']);
  }
  const file = join(work, 'npmrc');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  mounts.push([file, '/root/.npmrc:ro']);
  return mounts.flatMap(([from, to]) => ['--volume', `${from}:${to}`]);
}

async function npmSetting(name: string): Promise<string> {
  const { stdout } = await execute('npm', ['config', 'get', name, '--loglevel=error']);
  return stdout.trim();
}
