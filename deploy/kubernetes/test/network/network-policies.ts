import ipaddr from 'ipaddr.js';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';

import type { Manifest, Manifests } from '../build/manifests.js';
import { selects } from '../objects/label-selector.js';

/** An end of a connection: a pod, or an address outside of the cluster. */
export interface Endpoint {
  /** The name in findings. */
  name: string;
  pod?: {
    namespace: string;
    namespaceLabels: Record<string, string>;
    labels: Record<string, string>;
    ports: readonly { name?: string; containerPort: number; protocol?: string }[];
  };
  /** Omitted for a pod whose address is unknown: no ipBlock matches it. */
  address?: string;
}

export interface Connection {
  from: Endpoint;
  to: Endpoint;
  port: number;
  protocol: 'TCP' | 'UDP';
}

/** Whether a connection is allowed, and which side's policies block it otherwise. */
export type Verdict =
  | { allowed: true; by: string[] }
  | { allowed: false; refusedBy: 'egress' | 'ingress' };

type Policy = INetworkPolicy & Manifest;
type Spec = NonNullable<INetworkPolicy['spec']>;
type Rule = { peers: Peer[] | undefined; ports: Port[] | undefined };
type Peer = NonNullable<NonNullable<Spec['ingress']>[number]['from']>[number];
type Port = NonNullable<NonNullable<Spec['ingress']>[number]['ports']>[number];

/**
 * Evaluates NetworkPolicies as a cluster does: a pod that no policy selects accepts and makes all connections; any
 * other pod only those that at least one policy allows.
 * https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export class NetworkPolicies {
  readonly #policies: readonly Policy[];

  constructor(manifests: Manifests) {
    this.#policies = manifests.of<INetworkPolicy>('NetworkPolicy');
  }

  judge(connection: Connection): Verdict {
    const out = this.#allowedBy(connection, 'Egress');
    if (!out) return { allowed: false, refusedBy: 'egress' };
    const into = this.#allowedBy(connection, 'Ingress');
    if (!into) return { allowed: false, refusedBy: 'ingress' };
    return { allowed: true, by: [...new Set([...out, ...into])] };
  }

  /**
   * The names of the policies that allow the connection: empty if no policy selects the pod, undefined if the
   * connection is blocked.
   */
  #allowedBy(connection: Connection, direction: 'Ingress' | 'Egress'): string[] | undefined {
    const { from, to } = connection;
    const [own, peer] = direction === 'Egress' ? [from, to] : [to, from];
    const isolating = this.#policies.filter((policy) => isolates(policy, own, direction));
    if (isolating.length === 0) return [];
    const allowing = isolating.filter((policy) =>
      rulesOf(policy, direction).some(
        ({ peers, ports }) =>
          isAmong(peers, (each) => isPeer(each, peer, policy.metadata.namespace)) &&
          isAmong(ports, (each) => isPort(each, connection)),
      ),
    );
    return allowing.length > 0 ? allowing.map(({ metadata }) => metadata.name) : undefined;
  }
}

function isolates({ metadata, spec }: Policy, { pod }: Endpoint, direction: 'Ingress' | 'Egress') {
  const types = spec?.policyTypes ?? ['Ingress', ...(spec?.egress ? ['Egress'] : [])];
  return (
    pod !== undefined &&
    pod.namespace === metadata.namespace &&
    types.includes(direction) &&
    selects(spec?.podSelector ?? {}, pod.labels)
  );
}

function rulesOf({ spec }: Policy, direction: 'Ingress' | 'Egress'): Rule[] {
  return direction === 'Ingress'
    ? (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
    : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
}

/** A missing or empty list matches everything. */
const isAmong = <Item>(items: readonly Item[] | undefined, is: (item: Item) => boolean): boolean =>
  items === undefined || items.length === 0 || items.some(is);

function isPeer({ ipBlock, ...selectors }: Peer, { pod, address }: Endpoint, namespace?: string) {
  if (ipBlock) {
    const { cidr, except = [] } = ipBlock;
    return (
      address !== undefined &&
      isWithin(address, cidr) &&
      !except.some((range) => isWithin(address, range))
    );
  }
  if (!pod) return false;
  const { namespaceSelector, podSelector = {} } = selectors;
  const inNamespace = namespaceSelector
    ? selects(namespaceSelector, pod.namespaceLabels)
    : pod.namespace === namespace;
  return inNamespace && selects(podSelector, pod.labels);
}

function isPort({ port, endPort, protocol = 'TCP' }: Port, connection: Connection): boolean {
  if (protocol !== connection.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === 'number')
    return port <= connection.port && connection.port <= (endPort ?? port);
  return (connection.to.pod?.ports ?? []).some(
    (each) =>
      each.name === port &&
      each.containerPort === connection.port &&
      (each.protocol ?? 'TCP') === protocol,
  );
}

export function isWithin(address: string, cidr: string): boolean {
  const parsed = ipaddr.parse(address);
  const range = ipaddr.parseCIDR(cidr);
  return parsed.kind() === range[0].kind() && parsed.match(range);
}
