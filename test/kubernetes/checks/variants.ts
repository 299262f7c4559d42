import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ManifestCopy } from '../cluster/manifests.js';

export interface Variant {
  name: string;
  /** The directory for `kubectl apply -k`. */
  folder: string;
}

/** Every overlay, and base with each component. */
export async function variants(manifests: ManifestCopy): Promise<Variant[]> {
  const root = manifests.path('deploy/kubernetes');
  const foldersOf = (pattern: string) =>
    globSync(`${pattern}/kustomization.yaml`, { cwd: root }).map(dirname).toSorted();
  const overlays = foldersOf('overlays/*').map((name) => ({ name, folder: join(root, name) }));
  const extended = foldersOf('components/**').map(async (component) => {
    const folder = manifests.path(`variants/${component}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'kustomization.yaml'), baseWith(component, folder, root));
    return { name: `base with ${component}`, folder };
  });
  return [...overlays, ...(await Promise.all(extended))];
}

const baseWith = (component: string, folder: string, root: string): string =>
  JSON.stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'roster',
    // kustomize accepts only relative paths.
    resources: [relative(folder, join(root, 'base'))],
    components: [relative(folder, join(root, component))],
  });
