/** Records the arguments of the builder with a program that only writes them to a file. */
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

import { root } from './image-under-test.js';

/** All arguments that `npm run image` passes to its builder, in a repository with this package.json. */
async function builderArguments(t: ExecutionContext, manifest: object): Promise<string[]> {
  const repository = await temporaryDirectory(t);
  await mkdir(join(repository, 'deploy'));
  await cp(
    join(root, 'deploy/image/build-image.mjs'),
    join(repository, 'deploy/image/build-image.mjs'),
  );
  await writeFile(join(repository, 'package.json'), JSON.stringify(manifest));
  const builder = join(repository, 'podman');
  await writeFile(builder, '#!/bin/sh\nprintf "%s\\n" "$@" >> "$0.log"\necho 1\n');
  await chmod(builder, 0o755);
  execFileSync(process.execPath, [join(repository, 'deploy/image/build-image.mjs')], {
    env: {
      PATH: `${repository}:${process.env.PATH}`,
      IMAGE_BUILDER: 'podman',
      BASE_IMAGE: 'a-base',
    },
  });
  return (await readFile(`${builder}.log`, 'utf8')).split('\n');
}

const manifest = { name: 'roster', version: '1.2.3', description: 'd', license: 'MIT' };
const label = 'org.opencontainers.image.source';

test('the image is labelled with its source if package.json names a repository', async (t) => {
  const named: [unknown, string][] = [
    [{ type: 'git', url: 'git+https://git.example/a/b.git' }, 'https://git.example/a/b'],
    ['https://git.example/a/b', 'https://git.example/a/b'],
    ['github:a/b', 'https://github.com/a/b'],
    ['a/b', 'https://github.com/a/b'],
  ];
  for (const [repository, url] of named) {
    const args = await builderArguments(t, { ...manifest, repository });
    t.is(args[args.indexOf('--label') + 1], `${label}=${url}`);
  }
});

test('the image has no source label if package.json names no repository', async (t) => {
  const args = await builderArguments(t, manifest);
  t.true(args.includes('VERSION=1.2.3'));
  t.deepEqual(
    args.filter((arg) => arg.includes(label)),
    [],
  );
});
