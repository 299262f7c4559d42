import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const programs = fileURLToPath(new URL('../pods/', import.meta.url));

/** Folders of manifests, copied with their relative positions, because they reference each other. */
const folders = ['deploy/kubernetes', 'test/kubernetes/overlay', 'test/kubernetes/outside'];

/** The files in which an operator sets the image. */
const imageFiles = [
  'deploy/kubernetes/overlays/demo/kustomization.yaml',
  'test/kubernetes/outside/kustomization.yaml',
];

/** A copy of the manifests with another image, set as an operator does: by changing one line of the overlay. */
export interface ManifestCopy {
  /** An absolute path, for `kubectl apply -k`. */
  path(folder: string): string;
  discard(): Promise<void>;
}

export async function copyManifests(image: string): Promise<ManifestCopy> {
  const copy = await mkdtemp(join(tmpdir(), 'roster-kubernetes-'));
  for (const folder of folders)
    await cp(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (file) => !['node_modules', 'dist'].includes(basename(file)),
    });
  for (const file of imageFiles) {
    const path = join(copy, file);
    await writeFile(path, withImage(await readFile(path, 'utf8'), image));
  }
  await copyPrograms(join(copy, 'test/kubernetes/outside/programs'));
  return {
    path: (folder) => join(copy, folder),
    discard: () => rm(copy, { recursive: true, force: true }),
  };
}

/** The compiled programs of the pods, for a ConfigMap. */
async function copyPrograms(into: string): Promise<void> {
  const files = (await readdir(programs)).filter((file) => file.endsWith('.js'));
  for (const file of files) await cp(join(programs, file), join(into, file));
}

/** The index of the colon before the tag: the port of a registry follows a colon, too. */
const tagPlace = /(delimiter: ':', index: )\d+/;

/**
 * A kustomization with another name and tag for the image `roster`.
 *
 * @throws Error unless it contains the image exactly once
 */
export function withImage(kustomization: string, image: string): string {
  const { name, tag } = splitImage(image);
  const entry = /^( *)- name: roster\n(?:\1 {2}(?:newName|newTag): .*\n)+/gm;
  const found = kustomization.match(entry)?.length ?? 0;
  if (found !== 1) throw new Error(`The image occurs ${found} times instead of once.`);
  return kustomization
    .replace(
      entry,
      (_, indent: string) =>
        `${indent}- name: roster\n${indent}  newName: ${name}\n${indent}  newTag: ${JSON.stringify(tag)}\n`,
    )
    .replace(tagPlace, (_, before: string) => `${before}${name.split(':').length}`);
}

export function splitImage(image: string): { name: string; tag: string } {
  const at = image.lastIndexOf(':');
  // The text after the colon of a registry's port contains a slash.
  if (at === -1 || image.includes('/', at)) return { name: image, tag: 'latest' };
  return { name: image.slice(0, at), tag: image.slice(at + 1) };
}
