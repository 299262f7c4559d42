import type { Manifests } from '../build/manifests.js';
import { containersOf, podsOf } from '../build/pods.js';
import { finding, nameOf } from './finding.js';
import { isBuiltIn } from './schemas.js';

/** Kinds that belong to the cluster, not to a namespace. */
const clusterWide = [
  'ClusterRole',
  'ClusterRoleBinding',
  'Namespace',
  'PriorityClass',
  'StorageClass',
];

/** RFC 1123, required for the names of most objects. */
const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The name of a Job is a label value of its pods. */
const nameLengthMax = (kind: string): number => (kind === 'Job' ? 63 : 253);

/** Duplicate objects, invalid names, and objects without a namespace. */
export function objectFindings({ all }: Manifests): string[] {
  const seen = new Set<string>();
  return all.flatMap((manifest) => {
    const { apiVersion, kind, metadata } = manifest;
    const id = [apiVersion.replace(/\/.*/, ''), kind, metadata.namespace, metadata.name].join(' ');
    const findings = [];
    if (seen.has(id)) findings.push(finding(manifest, 'metadata.name', 'is a duplicate.'));
    seen.add(id);
    if (!dnsName.test(metadata.name)) {
      findings.push(
        finding(
          manifest,
          'metadata.name',
          'must consist of lower case letters, digits, "-" and ".", with a letter or a digit at each end and beside each ".".',
        ),
      );
    }
    const lengthMax = nameLengthMax(kind);
    if (metadata.name.length > lengthMax) {
      findings.push(
        finding(
          manifest,
          'metadata.name',
          `has ${metadata.name.length} characters; the name of a ${kind} may have at most ${lengthMax}.`,
        ),
      );
    }
    const namespaced = !clusterWide.includes(kind);
    if (namespaced && metadata.namespace === undefined) {
      findings.push(finding(manifest, 'metadata.namespace', 'is missing.'));
    }
    return findings;
  });
}

/** Entries of lists that Kubernetes merges by name must have unique names. */
export function repeatedEntryFindings(manifests: Manifests): string[] {
  return podsOf(manifests).flatMap((pods) => {
    const containers = containersOf(pods);
    const lists: [string, readonly { name?: string }[]][] = [
      ['containers', containers],
      ['volumes', pods.spec.volumes ?? []],
      ...containers.flatMap(({ name, env = [], ports = [] }): typeof lists => [
        [`containers[${name}].env`, env],
        [`containers[${name}].ports`, ports],
      ]),
    ];
    return lists.flatMap(([list, entries]) => {
      const names = entries.flatMap(({ name }) => name ?? []);
      return [...new Set(names.filter((name, index) => names.indexOf(name) < index))].map((name) =>
        finding(pods.manifest, `${pods.field}.spec.${list}`, `has ${name} twice.`),
      );
    });
  });
}

/** Resources for clusters without operators must not contain kinds of operators. */
export function bareClusterFindings({ all }: Manifests): string[] {
  return all
    .filter((manifest) => !isBuiltIn(manifest))
    .map((manifest) =>
      finding(
        manifest,
        'kind',
        `${manifest.kind} of ${manifest.apiVersion} is unknown to a cluster without its operator: ` +
          `${nameOf(manifest)} belongs in a component.`,
      ),
    );
}
