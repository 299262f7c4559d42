import type { IPodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IService } from 'kubernetes-models/v1';

import type { Manifest, Manifests } from '../build/manifests.js';
import { type Pods, podsOf } from '../build/pods.js';
import { finding } from './finding.js';
import { type LabelSelector, describeSelector, selects } from './label-selector.js';

interface Selection {
  from: Manifest;
  field: string;
  selector: LabelSelector;
  /** The labels of the pods that can be selected. */
  among: readonly Record<string, string>[];
  /** Completes the sentence. */
  which: string;
}

/** Selectors that match nothing: a Service or a policy without pods, a spread over pods of another workload. */
export function selectorFindings(manifests: Manifests): string[] {
  return selectionsOf(manifests)
    .filter(({ selector, among }) => !among.some((labels) => selects(selector, labels)))
    .map(({ from, field, selector, which }) =>
      finding(from, field, `selects ${describeSelector(selector)}, which ${which}.`),
    );
}

function selectionsOf(manifests: Manifests): Selection[] {
  const pods = podsOf(manifests);
  const podsIn = (namespace: string | undefined) =>
    pods.filter((each) => each.namespace === namespace).map(({ labels }) => labels);
  return manifests.all.flatMap((from) => {
    const all = { from, among: podsIn(from.metadata.namespace), which: 'no pod has' };
    const own = pods.find(({ manifest }) => manifest === from);
    return [
      ...(own ? ofWorkload(from, own, all.among) : []),
      ...(ofKind[from.kind]?.(from as never) ?? []).map((selection) => ({
        ...all,
        ...selection,
      })),
    ];
  });
}

function ofWorkload(from: Manifest, own: Pods, all: Selection['among']): Selection[] {
  const { selector } = (from as unknown as IDeployment).spec ?? {};
  const { topologySpreadConstraints = [], affinity } = own.spec;
  const terms = [affinity?.podAntiAffinity, affinity?.podAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ]);
  const mine = { from, among: [own.labels], which: 'its own template lacks' };
  const selectors = (list: readonly { labelSelector?: LabelSelector }[]) =>
    list.flatMap(({ labelSelector }) => labelSelector ?? []);
  return [
    // Kubernetes generates the selector of a Job, an operator that of a Cluster.
    ...(own.byOperator || !selector ? [] : [{ ...mine, field: 'spec.selector', selector }]),
    ...selectors(topologySpreadConstraints).map((spread) => ({
      ...mine,
      field: `${own.field}.spec.topologySpreadConstraints`,
      selector: spread,
    })),
    ...selectors(terms).map((term) => ({
      ...mine,
      among: all,
      which: 'no pod has',
      field: `${own.field}.spec.affinity`,
      selector: term,
    })),
  ];
}

type OfPods = Pick<Selection, 'field' | 'selector'>;

const ofKind: Record<string, (manifest: never) => OfPods[]> = {
  Service: ({ spec }: IService) =>
    spec?.selector ? [{ field: 'spec.selector', selector: { matchLabels: spec.selector } }] : [],
  PodDisruptionBudget: ({ spec }: IPodDisruptionBudget) => [
    { field: 'spec.selector', selector: spec?.selector ?? {} },
  ],
  NetworkPolicy: ({ spec }: INetworkPolicy) => {
    const peers = [
      ...(spec?.ingress ?? []).flatMap(({ from: peers }) => peers ?? []),
      ...(spec?.egress ?? []).flatMap(({ to: peers }) => peers ?? []),
    ];
    return [
      ...ofPodSelector('spec.podSelector', spec?.podSelector),
      // Pods of other namespaces are not known here.
      ...peers
        .filter(({ namespaceSelector }) => !namespaceSelector)
        .flatMap(({ podSelector }) => ofPodSelector('the podSelector of a peer', podSelector)),
    ];
  },
  PodMonitor: ({ spec }: IPodMonitor) => [{ field: 'spec.selector', selector: spec.selector }],
};

const ofPodSelector = (field: string, selector: LabelSelector | undefined): OfPods[] =>
  selector ? [{ field, selector }] : [];
