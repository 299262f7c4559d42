import type { Manifests } from '../build/manifests.js';
import { finding } from '../objects/finding.js';
import { processesOf, serverNames } from '../processes/processes.js';

/** The path of each probe. Only readiness may depend on PostgreSQL, NATS and the schema. */
const paths = {
  startupProbe: '/healthz',
  livenessProbe: '/healthz',
  readinessProbe: '/readyz',
} as const;

/** Missing probes, and probes that would restart a process although a restart does not solve the problem. */
export function probeFindings(manifests: Manifests): string[] {
  return processesOf(manifests)
    .filter(({ name }) => serverNames.includes(name))
    .flatMap(({ pods, container }) =>
      Object.entries(paths).flatMap(([probe, path]) => {
        const probed = container[probe as keyof typeof paths]?.httpGet?.path;
        if (probed === path) return [];
        return [
          finding(
            pods.manifest,
            `${pods.field}.spec.containers[${container.name}].${probe}`,
            `requests ${probed ?? 'no path'}, but must request ${path}.`,
          ),
        ];
      }),
    );
}
