import type { Manifests } from '../build/manifests.js';
import { finding } from '../objects/finding.js';
import { processesOf, serverNames } from '../processes/processes.js';

/** The path of each probe: only readiness may depend on PostgreSQL, NATS and the schema. */
const paths = {
  startupProbe: '/healthz',
  livenessProbe: '/healthz',
  readinessProbe: '/readyz',
} as const;

/** Missing probes, and probes that would restart a process for a problem that a restart does not solve. */
export function probeFindings(manifests: Manifests): string[] {
  return processesOf(manifests)
    .filter(({ name }) => serverNames.includes(name))
    .flatMap(({ pods, container }) =>
      Object.entries(paths).flatMap(([probe, path]) => {
        const asked = container[probe as keyof typeof paths]?.httpGet?.path;
        if (asked === path) return [];
        return [
          finding(
            pods.manifest,
            `${pods.field}.spec.containers[${container.name}].${probe}`,
            `asks ${asked ?? 'for nothing'}, and must ask ${path}.`,
          ),
        ];
      }),
    );
}
