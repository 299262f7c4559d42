import { parse } from 'yaml';

import type { Manifest } from '../build/manifests.js';

/** `Deployment gateway (base/gateway/deployment.yaml): spec.replicas …`: the object, its file, the field, the problem. */
export const finding = (manifest: Manifest, field: string, problem: string): string =>
  `${nameOf(manifest)}${fileOf(manifest)}: ${field} ${problem}`;

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** kustomize annotates each object with its source file, or with the kustomization that generates it. */
function fileOf({ metadata }: Manifest): string {
  const origin = metadata.annotations?.['config.kubernetes.io/origin'];
  if (origin === undefined) return '';
  const { path, configuredIn } = parse(origin) as { path?: string; configuredIn?: string };
  const file = (path ?? configuredIn ?? '').replace(/^.*deploy\/kubernetes\//, '');
  return ` (${file})`;
}
