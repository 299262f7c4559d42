import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1';
import type { IStatefulSet } from 'kubernetes-models/apps/v1';

import type { Manifest, Manifests } from '../build/manifests.js';
import { podsThatOpen } from '../network/servers.js';
import { autoscalersOf } from './autoscalers.js';
import { configOf } from '../processes/environment.js';
import { finding, nameOf } from '../objects/finding.js';
import { type Process, processesOf } from '../processes/processes.js';

/** Connections reserved for operators, backups and replication. */
const connectionsToSpare = 10;

/** Maximum requirements of the processes that exceed the capacity of PostgreSQL or NATS. */
export function capacityFindings(manifests: Manifests): string[] {
  return [...connections(manifests), ...streamReplicas(manifests)];
}

function connections(manifests: Manifests): string[] {
  const needed = processesOf(manifests).reduce((sum, process) => {
    const perPod = Number(configOf(manifests, process)?.DATABASE_POOL_MAX ?? 0);
    return sum + perPod * podsAtMost(manifests, process);
  }, connectionsToSpare);
  return podsThatOpen(manifests, 5432).flatMap(({ pods: { manifest } }) => {
    const [field, given] = connectionsOf(manifest);
    return given >= needed
      ? []
      : [
          finding(
            manifest,
            field,
            `is ${given}; the maximum number of pods requires ${needed}, including ${connectionsToSpare} to spare.`,
          ),
        ];
  });
}

/** A rollout adds one pod. */
const podsAtMost = (manifests: Manifests, { pods: { manifest } }: Process): number => {
  const scaled = autoscalersOf(manifests).find(
    ({ target }) => target.kind === manifest.kind && target.name === manifest.metadata.name,
  );
  return (scaled?.max ?? (manifest as unknown as IStatefulSet).spec?.replicas ?? 1) + 1;
};

function connectionsOf(manifest: Manifest): [field: string, given: number] {
  if (manifest.kind === 'Cluster') {
    const { postgresql } = (manifest as unknown as ICluster).spec;
    return [
      'spec.postgresql.parameters.max_connections',
      Number(postgresql?.parameters?.max_connections ?? 100),
    ];
  }
  const { containers = [] } = (manifest as unknown as IStatefulSet).spec?.template.spec ?? {};
  const args = containers.flatMap((container) => container.args ?? []).join(' ');
  return [
    'spec.template.spec.containers.args, max_connections,',
    Number(/max_connections=(\d+)/.exec(args)?.[1] ?? 100),
  ];
}

function streamReplicas(manifests: Manifests): string[] {
  const servers = podsThatOpen(manifests, 4222).map(({ pods }) => pods.manifest);
  const configured = processesOf(manifests).flatMap((process) => {
    const replicas = Number(configOf(manifests, process)?.EVENTS_REPLICAS ?? 0);
    return replicas > 0 ? [{ process, replicas }] : [];
  });
  const highest = Math.max(...configured.map(({ replicas }) => replicas));
  return configured.flatMap(({ process: { name, pods }, replicas }) => {
    const tooFew = servers.filter(
      (manifest) => ((manifest as unknown as IStatefulSet).spec?.replicas ?? 1) < replicas,
    );
    return [
      ...(replicas === highest
        ? []
        : [
            finding(
              pods.manifest,
              'EVENTS_REPLICAS',
              `is ${replicas}, but ${highest} in other processes.`,
            ),
          ]),
      ...tooFew.map((manifest) =>
        finding(
          pods.manifest,
          'EVENTS_REPLICAS',
          `of ${name} is ${replicas}, more than the servers of ${nameOf(manifest)}.`,
        ),
      ),
    ];
  });
}
