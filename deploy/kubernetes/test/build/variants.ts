import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

export const kubernetesDirectory = fileURLToPath(new URL('../../../', import.meta.url));

/** A configuration that a platform team may apply: base or an overlay, with additional components. */
export interface Variant {
  name: string;
  /** Path relative to deploy/kubernetes. */
  resource: string;
  components: readonly string[];
}

const ownServers = ['nats', 'postgres'];

/** The sources of PostgreSQL and NATS: every variant has one of these. */
const backends: readonly (readonly string[])[] = [
  ['single-node'],
  ownServers,
  ['nats', 'external-postgres'],
  ['external-nats', 'postgres'],
  ['external-nats', 'external-postgres'],
];

/** Components that require another one. */
const needs: Record<string, string> = {
  keda: 'nats',
};

/** Components that an overlay replaces or excludes. */
const without: Record<string, readonly string[]> = {
  // The demo has no public address, which the canary needs.
  demo: ['canary', 'external-secrets', 'external-secrets/database'],
  production: ['demo-receiver'],
};

const components = namesIn('components', 'Component');
export const componentNames: readonly string[] = components;
export const overlays = namesIn('overlays', 'Kustomization');

/**
 * Base with every choice of backends, alone and with all compatible components, and with each component alone on servers in the
 * cluster. Overlays alone, with each compatible component, and with all of them.
 */
export function variants(): Variant[] {
  const ofBase = backends
    .flatMap((names) => {
      const all = extended(names);
      return names === ownServers ? all : [all.at(0)!, all.at(-1)!];
    })
    .map((names) => variant('base', names));
  const ofOverlays = overlays.flatMap((overlay) => {
    const has = componentsOf(overlay);
    return extended(has, without[overlay]).map((names) =>
      variant(
        `overlays/${overlay}`,
        names.filter((name) => !has.includes(name)),
      ),
    );
  });
  return [...ofBase, ...ofOverlays];
}

export const variant = (resource: string, components: readonly string[] = []): Variant => ({
  name: [resource, ...components].join(' + '),
  resource,
  components,
});

function componentsOf(overlay: string): string[] {
  const { components: paths = [] } = kustomizationOf(`overlays/${overlay}`);
  return paths.map((path) => path.replace(/^.*components\//, ''));
}

interface Kustomization {
  kind: 'Kustomization' | 'Component';
  components?: string[];
  images?: { name: string; newName?: string; newTag?: string }[];
}

/** Base or the overlay, without additional components. */
export function kustomizationOf(directory: string): Kustomization {
  const file = join(kubernetesDirectory, directory, 'kustomization.yaml');
  return parse(readFileSync(file, 'utf8')) as Kustomization;
}

function extended(names: readonly string[], never: readonly string[] = []): string[][] {
  const more = components.filter(
    (name) =>
      ![...names, ...never].includes(name) &&
      !backends.some((backend) => backend.includes(name)) &&
      (needs[name] === undefined || names.includes(needs[name])),
  );
  return [
    [...names],
    ...more.map((name) => [...names, name]),
    ...(more.length > 1 ? [[...names, ...more]] : []),
  ];
}

function namesIn(directory: string, kind: Kustomization['kind']): string[] {
  return globSync('**/kustomization.yaml', { cwd: join(kubernetesDirectory, directory) })
    .map(dirname)
    .filter((name) => kustomizationOf(`${directory}/${name}`).kind === kind)
    .toSorted();
}
