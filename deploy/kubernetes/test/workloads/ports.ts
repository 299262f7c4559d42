import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type { IPodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IContainer, IService } from 'kubernetes-models/v1';

import type { Manifest, Manifests } from '../build/manifests.js';
import { type Pods, podsOf, portsOf } from '../build/pods.js';
import { finding } from '../objects/finding.js';
import { type LabelSelector, selects } from '../objects/label-selector.js';

type Port = string | number;

/** Probes, Services, monitors, routes and policies that reference a port that no container opens. */
export function portFindings(manifests: Manifests): string[] {
  const pods = podsOf(manifests);
  return [
    ...pods.flatMap(ofProbes),
    ...manifests.of<IService>('Service').flatMap((service) => ofService(service, pods)),
    ...manifests.of<IPodMonitor>('PodMonitor').flatMap((monitor) => ofPodMonitor(monitor, pods)),
    ...manifests.of<INetworkPolicy>('NetworkPolicy').flatMap((policy) => ofPolicy(policy, pods)),
    ...manifests.of<IHTTPRoute>('HTTPRoute').flatMap((route) =>
      ofBackends(
        route,
        (route.spec.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs),
        manifests,
      ),
    ),
    ...manifests.of<IIngress>('Ingress').flatMap((ingress) =>
      ofBackends(
        ingress,
        (ingress.spec?.rules ?? [])
          .flatMap(({ http }) => http?.paths ?? [])
          .flatMap(({ backend: { service } }) =>
            service
              ? [{ name: service.name, port: service.port?.name ?? service.port?.number }]
              : [],
          ),
        manifests,
      ),
    ),
  ];
}

const opens = (pods: Pods, port: Port): boolean =>
  portsOf(pods).some(({ name, containerPort }) => port === name || port === containerPort);

function ofProbes(pods: Pods): string[] {
  return pods.spec.containers.flatMap((container) =>
    probedPorts(container)
      .filter(
        ({ port }) =>
          !(container.ports ?? []).some(
            ({ name, containerPort }) => port === name || port === containerPort,
          ),
      )
      .map(({ probe, port }) =>
        finding(
          pods.manifest,
          `${pods.field}.spec.containers[${container.name}].${probe}`,
          `uses port ${port}, which the container does not open.`,
        ),
      ),
  );
}

function probedPorts(container: IContainer): { probe: string; port: Port }[] {
  const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container;
  const actions = {
    startupProbe,
    livenessProbe,
    readinessProbe,
    'lifecycle.preStop': lifecycle?.preStop,
  };
  return Object.entries(actions).flatMap(([probe, action]) => {
    const port = action?.httpGet?.port ?? action?.tcpSocket?.port;
    return port === undefined ? [] : [{ probe, port }];
  });
}

function ofService(service: IService & Manifest, pods: readonly Pods[]): string[] {
  const { selector, ports = [] } = service.spec ?? {};
  if (!selector) return [];
  const selected = pods.filter(({ labels }) => selects({ matchLabels: selector }, labels));
  return ports.flatMap(({ name, port, targetPort = port }) =>
    selected
      .filter((each) => !opens(each, targetPort))
      .map((each) =>
        finding(
          service,
          `spec.ports[${name ?? port}].targetPort`,
          `is ${targetPort}, which no container of ${each.manifest.kind} ${each.manifest.metadata.name} opens.`,
        ),
      ),
  );
}

function ofPodMonitor(monitor: IPodMonitor & Manifest, pods: readonly Pods[]): string[] {
  const selected = pods.filter(({ labels }) => selects(monitor.spec.selector, labels));
  return (monitor.spec.podMetricsEndpoints ?? []).flatMap(({ port }) =>
    selected
      .filter((each) => port !== undefined && !opens(each, port))
      .map((each) =>
        finding(
          monitor,
          'spec.podMetricsEndpoints',
          `name port ${port}, which no container of ${each.manifest.kind} ${each.manifest.metadata.name} opens.`,
        ),
      ),
  );
}

/** An ingress port must be opened by the pods of the policy, an egress port by the peer pods of this namespace. */
function ofPolicy(policy: INetworkPolicy & Manifest, pods: readonly Pods[]): string[] {
  const { podSelector = {}, ingress = [], egress = [] } = policy.spec ?? {};
  const selected = (selectors: readonly LabelSelector[]) =>
    pods.filter(({ labels }) => selectors.some((selector) => selects(selector, labels)));
  const rules = [
    ...ingress.map(({ ports = [] }) => ({
      field: 'spec.ingress.ports',
      ports,
      targets: selected([podSelector]),
    })),
    ...egress.map(({ ports = [], to = [] }) => ({
      field: 'spec.egress.ports',
      ports,
      targets: to.every((peer) => peer.podSelector && !peer.namespaceSelector)
        ? selected(to.flatMap((peer) => peer.podSelector ?? []))
        : [],
    })),
  ];
  return rules.flatMap(({ field, ports, targets }) =>
    targets.length === 0
      ? []
      : ports
          .flatMap(({ port }) => port ?? [])
          .filter((port) => !targets.some((each) => opens(each, port)))
          .map((port) =>
            finding(policy, field, `name port ${port}, which none of the pods opens.`),
          ),
  );
}

function ofBackends(
  from: Manifest,
  backends: readonly { name: string; port?: Port | undefined; kind?: string }[],
  manifests: Manifests,
): string[] {
  return backends.flatMap(({ name, port }) => {
    const service = manifests.find<IService>('Service', name);
    const ports = service?.spec?.ports ?? [];
    return !service || ports.some((each) => each.name === port || each.port === port)
      ? []
      : [finding(from, 'a backend', `names port ${port}, which Service ${name} does not have.`)];
  });
}
