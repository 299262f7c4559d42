import { TargetPolicy, special } from '@roster/process/targets';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';

import type { Manifests } from '../build/manifests.js';
import { podsOf } from '../build/pods.js';
import { testBuilt } from '../built.js';
import { production, set } from '../faults.js';
import { endpointOf, outside } from './endpoints.js';
import { NetworkPolicies, isWithin } from './network-policies.js';
import { namedRanges, rangeEdges } from './range-edges.js';

/** The policy without configured exceptions. */
const process = new TargetPolicy({ allow: [], deny: [], allowHttp: false });

/** The ranges of public hosts: the rest of IPv6 is unassigned, and NetworkPolicies block it. */
const assigned = ['0.0.0.0/0', '2000::/3', '64:ff9b::/96'];

/** Addresses at the edges of every range with special treatment. */
function edgeAddresses(manifests: Manifests): string[] {
  const blocks = manifests
    .of<INetworkPolicy>('NetworkPolicy')
    .flatMap(({ spec }) => spec?.egress ?? [])
    .flatMap(({ to = [] }) => to)
    .flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : []));
  const ranges = [...blocks, ...namedRanges(), ...special.map(([range]) => range)];
  return [...new Set(ranges.flatMap(rangeEdges))];
}

/** Addresses that the process and the NetworkPolicies treat differently. */
function disagreements(manifests: Manifests): string[] {
  const policies = new NetworkPolicies(manifests);
  const pods = podsOf(manifests).find(({ manifest }) => manifest.metadata.name === 'dispatcher')!;
  const from = endpointOf(manifests, pods);
  return edgeAddresses(manifests).flatMap((address) => {
    const refused = process.refuseAddress(address, 443);
    const to = outside(address);
    const { allowed } = policies.judge({ from, to, port: 443, protocol: 'TCP' });
    if (refused !== undefined && allowed) {
      return [`${address} is open to the dispatcher's pods, although ${refused}.`];
    }
    if (refused === undefined && !allowed && assigned.some((range) => isWithin(address, range))) {
      return [
        `${address} is blocked for the dispatcher's pods, although the dispatcher may send to it.`,
      ];
    }
    return [];
  });
}

testBuilt(
  'the NetworkPolicies allow exactly the addresses that the dispatcher may send to',
  production,
  (t, manifests) => {
    t.true(edgeAddresses(manifests).length > 100);
    t.deepEqual(disagreements(manifests), []);
  },
);

testBuilt('finds a private range that is open', production, (t, manifests) => {
  const path = 'spec.egress.0.to.0.ipBlock.except';
  const policy = manifests.get<INetworkPolicy>('NetworkPolicy', 'dispatcher');
  const { except = [] } = policy.spec!.egress![0]!.to![0]!.ipBlock!;
  set(
    'NetworkPolicy dispatcher',
    path,
    except.filter((range) => range !== '169.254.0.0/16'),
  )(manifests);
  t.deepEqual(disagreements(manifests), [
    "169.254.0.0 is open to the dispatcher's pods, although 169.254.0.0 is link-local.",
    "169.254.255.255 is open to the dispatcher's pods, although 169.254.255.255 is link-local.",
  ]);
});

testBuilt('finds a public range that is blocked', production, (t, manifests) => {
  const policy = manifests.get<INetworkPolicy>('NetworkPolicy', 'dispatcher');
  policy.spec!.egress![0]!.to![0]!.ipBlock!.except!.push('8.8.8.0/24');
  t.deepEqual(disagreements(manifests), [
    "8.8.8.0 is blocked for the dispatcher's pods, although the dispatcher may send to it.",
    "8.8.8.255 is blocked for the dispatcher's pods, although the dispatcher may send to it.",
  ]);
});
