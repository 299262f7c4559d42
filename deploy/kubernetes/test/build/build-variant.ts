import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { stringify } from 'yaml';

import { type Kustomize, buildKustomization } from '@roster/kubernetes/kustomize';
import { Manifests } from './manifests.js';
import { type Variant, kubernetesDirectory } from './variants.js';

const kept = join(kubernetesDirectory, 'dist', 'built');

/**
 * The output of kustomize for a variant. Each object is annotated with its source file.
 *
 * Test files run in separate processes: the output is cached for all of them until a source changes.
 */
export async function buildVariant(kustomize: Kustomize, variant: Variant): Promise<Manifests> {
  const directory = join(kept, await fingerprint(kustomize));
  const file = join(directory, `${variant.name.replaceAll('/', '.')}.yaml`);
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found !== undefined) return Manifests.parse(found);

  const text = await build(kustomize, variant);
  await removeOthers(directory);
  await mkdir(directory, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, text);
  await rename(unfinished, file);
  return Manifests.parse(text);
}

async function build(kustomize: Kustomize, variant: Variant): Promise<string> {
  // kustomize resolves paths without following links.
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'roster-kustomize-'));
  try {
    await writeFile(join(directory, 'kustomization.yaml'), stringify(overlay(variant, directory)));
    return await buildKustomization(kustomize, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The overlay that a platform team would write for these components. */
function overlay({ resource, components }: Variant, directory: string): object {
  const path = (below: string) => relative(directory, join(kubernetesDirectory, below));
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    buildMetadata: ['originAnnotations'],
    ...(components.length > 0 ? { namespace: 'roster' } : {}),
    resources: [path(resource)],
    components: components.map((name) => path(`components/${name}`)),
  };
}

let known: Promise<string> | undefined;

function fingerprint(kustomize: Kustomize): Promise<string> {
  known ??= (async () => {
    const hash = createHash('sha256').update(kustomize.join(' '));
    const files = globSync('{base,components,overlays}/**/*.*', { cwd: kubernetesDirectory });
    for (const file of files.toSorted()) {
      hash.update(file).update(await readFile(join(kubernetesDirectory, file)));
    }
    return hash.digest('hex').slice(0, 16);
  })();
  return known;
}

async function removeOthers(directory: string): Promise<void> {
  for (const name of await readdir(kept).catch(() => [])) {
    const other = join(kept, name);
    if (other !== directory) await rm(other, { recursive: true, force: true });
  }
}
