import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Podman } from './podman.js';

const execute = promisify(execFile);

/**
 * The parts of an operating system that the build and the launcher use: a shell, file utilities, and Node's
 * libraries.
 */
const debianPackages = ['coreutils', 'dash', 'findutils', 'libstdc++6'];
/** The current and the former directories of Debian's programs and libraries: packages use both. */
const merged = ['bin', 'sbin', 'lib', 'lib64'];

/**
 * A substitute for `node:24-bookworm-slim` if no container registry is available: files of Debian packages from this
 * machine's sources, the pinned Node, and npm from its registry. Resolves with the name of the image.
 */
export async function standInBase(podman: Podman, root: string, work: string): Promise<string> {
  const tree = join(work, 'base');
  for (const name of merged) {
    await mkdir(join(tree, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(tree, name));
  }
  for (const name of ['etc', 'tmp', 'root', 'usr/local/bin', 'usr/local/lib/node_modules'])
    await mkdir(join(tree, name), { recursive: true });
  await unpackDebian(tree, join(work, 'debs'));
  await writeFile(join(tree, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  await cp(process.execPath, join(tree, 'usr/local/bin/node'));
  await unpackNpm(tree, root, work);
  await chmod(join(tree, 'tmp'), 0o1777);

  const archive = join(work, 'base.tar');
  await execute('tar', ['--owner=0', '--group=0', '-C', tree, '-cf', archive, '.']);
  const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const name = 'localhost/roster-test-base:latest';
  await podman.do('import', '--quiet', '--change', path, archive, name);
  return name;
}

async function unpackDebian(tree: string, downloads: string): Promise<void> {
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const { stdout } = await execute('apt-cache', [
    'depends',
    '--recurse',
    ...only.map((kind) => `--no-${kind}`),
    ...debianPackages,
  ]);
  const packages = stdout.split('\n').filter((line) => /^\w/.test(line));
  await mkdir(downloads, { recursive: true });
  await execute('apt-get', ['download', '-qq', ...packages], { cwd: downloads });
  await execute('sh', [
    '-c',
    'for deb in "$1"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$2" || exit 1; done',
    'sh',
    downloads,
    tree,
  ]);
}

async function unpackNpm(tree: string, root: string, work: string): Promise<void> {
  const { packageManager } = createRequire(import.meta.url)(join(root, 'package.json')) as {
    packageManager: string;
  };
  const { stdout } = await execute(
    'npm',
    ['pack', packageManager, '--silent', '--pack-destination', work],
    { cwd: work },
  );
  const npm = join(tree, 'usr/local/lib/node_modules/npm');
  await mkdir(npm);
  await execute('tar', ['-xzf', join(work, stdout.trim()), '--strip-components=1', '-C', npm]);
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(tree, 'usr/local/bin', name));
}
