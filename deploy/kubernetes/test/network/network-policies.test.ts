import test from 'ava';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { parseAllDocuments } from 'yaml';

import { type Manifest, Manifests } from '../build/manifests.js';
import { type Endpoint, NetworkPolicies } from './network-policies.js';

/** Policies of the namespace `here`, one YAML document for each `spec`. */
function policies(specs: string): NetworkPolicies {
  return new NetworkPolicies(
    new Manifests(
      parseAllDocuments(specs).map(
        (document, index) =>
          ({
            apiVersion: 'networking.k8s.io/v1',
            kind: 'NetworkPolicy',
            metadata: { name: `policy-${index}`, namespace: 'here' },
            spec: document.toJS() as INetworkPolicy['spec'],
          }) as Manifest,
      ),
    ),
  );
}

const pod = (name: string, namespace = 'here', address?: string): Endpoint => ({
  name,
  pod: {
    namespace,
    namespaceLabels: { 'kubernetes.io/metadata.name': namespace },
    labels: { name },
    ports: [
      { name: 'http', containerPort: 8080 },
      { name: 'dns', containerPort: 53, protocol: 'UDP' },
    ],
  },
  ...(address === undefined ? {} : { address }),
});

const allows = (
  specs: string,
  from: Endpoint,
  to: Endpoint,
  port = 8080,
  protocol: 'TCP' | 'UDP' = 'TCP',
) => policies(specs).judge({ from, to, port, protocol }).allowed;

const outside: Endpoint = { name: 'outside', address: '192.0.2.7' };

test('without a policy everything is allowed, and a policy of another namespace changes nothing', (t) => {
  t.true(allows('', pod('a'), pod('b')));
  t.true(allows('podSelector: {}', pod('a', 'there'), pod('b', 'there')));
});

test('a policy with only a selector blocks all ingress and allows all egress', (t) => {
  t.false(allows('podSelector: {}', pod('a'), pod('b')));
  t.true(allows('podSelector: {}', pod('a'), outside));
});

test('a policy with egress rules applies to egress even without policyTypes', (t) => {
  const deny = 'podSelector: { matchLabels: { name: a } }\negress: []';
  t.false(allows(deny, pod('a'), outside));
  t.true(allows(deny, pod('b'), outside));
});

test('policyTypes determine the direction, whatever rules are present', (t) => {
  const spec = 'podSelector: {}\npolicyTypes: [Egress]\ningress: []\negress: [{}]';
  t.true(allows(spec, pod('a'), pod('b')));
});

test('policies are additive: a connection that one allows is not blocked by another', (t) => {
  const both = 'podSelector: {}\n---\npodSelector: { matchLabels: { name: b } }\ningress: [{}]';
  t.true(allows(both, pod('a'), pod('b')));
  t.false(allows(both, pod('a'), pod('c')));
});

test('both ends must allow a connection, and the end that blocks it is reported', (t) => {
  const spec = 'podSelector: { matchLabels: { name: a } }\npolicyTypes: [Egress]';
  const judged = policies(`${spec}\n---\npodSelector: { matchLabels: { name: c } }`);
  const verdict = (from: string, to: string) =>
    judged.judge({ from: pod(from), to: pod(to), port: 1, protocol: 'TCP' });
  t.deepEqual(verdict('a', 'b'), { allowed: false, refusedBy: 'egress' });
  t.deepEqual(verdict('b', 'c'), { allowed: false, refusedBy: 'ingress' });
});

test('a pod selector alone matches pods of the namespace of the policy', (t) => {
  const spec =
    'podSelector: {}\ningress: [{ from: [{ podSelector: { matchLabels: { name: a } } }] }]';
  t.true(allows(spec, pod('a'), pod('b')));
  t.false(allows(spec, pod('a', 'there'), pod('b')));
  t.false(allows(spec, outside, pod('b')));
});

test('selectors of one peer must both match; those of two peers need not', (t) => {
  const there = 'namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: there } }';
  const a = 'podSelector: { matchLabels: { name: a } }';
  const one = `podSelector: {}\ningress: [{ from: [{ ${there}, ${a} }] }]`;
  t.true(allows(one, pod('a', 'there'), pod('b')));
  t.false(allows(one, pod('c', 'there'), pod('b')));
  t.false(allows(one, pod('a'), pod('b')));
  const two = `podSelector: {}\ningress: [{ from: [{ ${there} }, { ${a} }] }]`;
  t.true(allows(two, pod('c', 'there'), pod('b')));
  t.true(allows(two, pod('a'), pod('b')));
});

test('a named port is the port of that name and protocol in the receiving pod', (t) => {
  const named = (port: string, protocol = 'TCP') =>
    `podSelector: {}\ningress: [{ ports: [{ port: ${port}, protocol: ${protocol} }] }]`;
  t.true(allows(named('http'), pod('a'), pod('b'), 8080));
  t.false(allows(named('http'), pod('a'), pod('b'), 8081));
  t.false(allows(named('dns'), pod('a'), pod('b'), 53));
  t.true(allows(named('dns', 'UDP'), pod('a'), pod('b'), 53, 'UDP'));
});

test('a range includes endPort, and a rule without a port matches all ports of its protocol', (t) => {
  const range = 'podSelector: {}\ningress: [{ ports: [{ port: 8000, endPort: 8100 }] }]';
  t.true(allows(range, pod('a'), pod('b'), 8100));
  t.false(allows(range, pod('a'), pod('b'), 8101));
  const any = 'podSelector: {}\ningress: [{ ports: [{ protocol: TCP }] }]';
  t.true(allows(any, pod('a'), pod('b'), 1));
  t.false(allows(any, pod('a'), pod('b'), 1, 'UDP'));
});

test('an ipBlock has exceptions, and matches pods only if their address is known', (t) => {
  const spec =
    'podSelector: { matchLabels: { name: a } }\negress: [{ to: [{ ipBlock: { cidr: 0.0.0.0/0, except: [192.0.2.0/24] } }] }]';
  t.false(allows(spec, pod('a'), outside));
  t.true(allows(spec, pod('a'), { name: 'far', address: '198.51.100.1' }));
  t.false(allows(spec, pod('a'), { name: 'far', address: '2001:db8::1' }));
  t.false(allows(spec, pod('a'), pod('b', 'there')));
  t.true(allows(spec, pod('a'), pod('b', 'there', '10.0.0.1')));
});

test('expressions select by values, and by the existence of the label', (t) => {
  const spec = (expression: string) =>
    `podSelector: {}\ningress: [{ from: [{ podSelector: { matchExpressions: [${expression}] } }] }]`;
  t.true(allows(spec('{ key: name, operator: In, values: [a, b] }'), pod('a'), pod('c')));
  t.false(allows(spec('{ key: name, operator: NotIn, values: [a, b] }'), pod('a'), pod('c')));
  t.true(allows(spec('{ key: name, operator: Exists }'), pod('a'), pod('c')));
  t.false(allows(spec('{ key: name, operator: DoesNotExist }'), pod('a'), pod('c')));
});
