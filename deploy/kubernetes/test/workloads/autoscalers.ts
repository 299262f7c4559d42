import { eventStream } from '@roster/contracts';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';

import type { Manifest, Manifests } from '../build/manifests.js';
import { finding, nameOf } from '../objects/finding.js';

export interface Autoscaler {
  manifest: Manifest;
  target: { kind: string; name: string };
  min: number;
  max: number;
}

export function autoscalersOf(manifests: Manifests): Autoscaler[] {
  return [
    ...manifests
      .of<IHorizontalPodAutoscaler>('HorizontalPodAutoscaler')
      .map((manifest): Autoscaler => {
        const { scaleTargetRef: target, minReplicas: min = 1, maxReplicas: max } = manifest.spec;
        return { manifest, target, min, max };
      }),
    ...manifests.of<IScaledObject>('ScaledObject').map((manifest): Autoscaler => {
      const { kind = 'Deployment', name } = manifest.spec.scaleTargetRef ?? { name: '' };
      const { minReplicaCount: min = 0, maxReplicaCount: max = 100 } = manifest.spec;
      return { manifest, target: { kind, name }, min, max };
    }),
  ];
}

/** Autoscalers that conflict with manifests or with each other, and autoscalers by the backlog of an unknown consumer. */
export function autoscalerFindings(manifests: Manifests): string[] {
  const autoscalers = autoscalersOf(manifests);
  return [
    ...autoscalers.flatMap(({ manifest, target, min, max }, index) => {
      const workload = manifests.find<IDeployment>(target.kind as 'Deployment', target.name);
      const other = autoscalers
        .slice(0, index)
        .find((each) => each.target.kind === target.kind && each.target.name === target.name);
      return [
        // Applying the manifests again must not reset the replicas that the autoscaler set.
        ...(workload?.spec?.replicas === undefined
          ? []
          : [finding(workload, 'spec.replicas', `must not be set: ${nameOf(manifest)} sets it.`)]),
        ...(min > max
          ? [
              finding(
                manifest,
                'the minimum number of pods',
                `is ${min}, above the maximum, ${max}.`,
              ),
            ]
          : []),
        ...(other
          ? [
              finding(
                manifest,
                'spec.scaleTargetRef',
                `is also scaled by ${nameOf(other.manifest)}.`,
              ),
            ]
          : []),
      ];
    }),
    ...manifests.of<IScaledObject>('ScaledObject').flatMap(backlogs),
  ];
}

/** The durable consumer of a process has the name of the process. */
function backlogs(scaledObject: IScaledObject & Manifest): string[] {
  const consumer = scaledObject.spec.scaleTargetRef?.name;
  return scaledObject.spec.triggers
    .filter(({ type }) => type === 'nats-jetstream')
    .flatMap(({ metadata }) =>
      Object.entries({ stream: eventStream, consumer })
        .filter(([field, name]) => metadata[field] !== name)
        .map(([field, name]) =>
          finding(
            scaledObject,
            `spec.triggers.metadata.${field}`,
            `is ${metadata[field]}, and must be ${name}.`,
          ),
        ),
    );
}
