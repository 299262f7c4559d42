import type { Manifests } from '../build/manifests.js';
import { finding } from '../objects/finding.js';
import { processesOf, serverNames } from '../processes/processes.js';

/** What each probe asks a process: only readiness may depend on PostgreSQL, NATS and the schema. */
const paths = {
  startupProbe: '/healthz',
  livenessProbe: '/healthz',
  readinessProbe: '/readyz',
} as const;

/** Probes that are missing, or that would end a process for what a restart does not change. */
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
