import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test from 'ava';
import type { IJob } from 'kubernetes-models/batch/v1';
import { parse, stringify } from 'yaml';

import { buildKustomization, findKustomize } from '@roster/kubernetes/kustomize';
import { Manifests } from './build/manifests.js';
import { containersOf, podsOf } from './build/pods.js';
import { kubernetesDirectory, overlays } from './build/variants.js';

const digest = `sha256:${'a1'.repeat(32)}`;

const kustomize = await findKustomize();
if (!kustomize)
  console.log(
    'Tests of the manifests are skipped: they require a recent kubectl or kustomize, or Go to build it.',
  );

for (const overlay of overlays) {
  const title = `overlays/${overlay}: an image pinned by digest has the migration's Job named after its tag`;
  if (!kustomize) {
    test.skip(title, () => {});
    continue;
  }
  test.serial(title, async (t) => {
    // kustomize resolves paths without following links.
    const directory = await mkdtemp(join(await realpath(tmpdir()), 'roster-kustomize-'));
    t.teardown(() => rm(directory, { recursive: true, force: true }));
    for (const part of ['base', 'components', 'overlays'])
      await cp(join(kubernetesDirectory, part), join(directory, part), { recursive: true });
    const file = join(directory, 'overlays', overlay, 'kustomization.yaml');
    const kustomization = parse(await readFile(file, 'utf8')) as {
      images: [{ newName: string; newTag: string; digest?: string }];
    };
    const [image] = kustomization.images;
    image.digest = digest;
    await writeFile(file, stringify(kustomization));

    const manifests = Manifests.parse(
      await buildKustomization(kustomize, join(directory, 'overlays', overlay)),
    );
    const jobs = manifests.of<IJob>('Job');
    t.deepEqual(
      jobs.map(({ metadata }) => metadata.name),
      [`migrate-${image.newTag}`],
    );
    // A Job whose image is missing would wait for it without limit.
    t.true(jobs[0]!.spec!.activeDeadlineSeconds! <= 86_400);
    const used = podsOf(manifests)
      .flatMap((pods) => containersOf(pods).map((container) => container.image))
      .filter((used) => used?.startsWith(`${image.newName}:`));
    t.true(used.length >= 6);
    t.deepEqual(new Set(used), new Set([`${image.newName}:${image.newTag}@${digest}`]));
  });
}
