import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';

import { Manifests } from '../build/manifests.js';
import { testBuilt } from '../built.js';
import { demo, production } from '../faults.js';
import { cutEdgeFindings, openEdgeFindings } from './traffic.js';

type Spec = NonNullable<INetworkPolicy['spec']>;

interface Change {
  /** `admin, ingress[0].ports[0]`. */
  of: string;
  manifests: Manifests;
}

/**
 * Every rule, and every entry of a list with several: peers, ports, values of a selector. Each is removed
 * individually.
 */
function cuts(manifests: Manifests): Change[] {
  return entries(manifests)
    .filter(({ fields, siblings }) => isRule(fields) || siblings > 0)
    .map((path) => change(manifests, path, (list, index) => list.splice(index, 1)));
}

/** Every list of peers, removed individually: a rule without peers matches all. */
function openings(manifests: Manifests): Change[] {
  return entries(manifests)
    .filter(({ fields, entry }) => isRule(fields) && (entry.from ?? entry.to) !== undefined)
    .map((path) =>
      change(manifests, path, (rules, index) => {
        const { from: _, to: __, ...rest } = rules[index] as Record<string, unknown>;
        rules[index] = rest;
      }),
    );
}

const isRule = (fields: Path['fields']): boolean => fields.length === 2;

interface Path {
  policy: string;
  fields: readonly (string | number)[];
  entry: { from?: unknown; to?: unknown };
  /** Other entries of the same list. */
  siblings: number;
}

function entries(manifests: Manifests): Path[] {
  return manifests.of<INetworkPolicy>('NetworkPolicy').flatMap(({ metadata, spec }) => {
    const { policyTypes: _, ...rules } = spec as Spec;
    return within(rules).map((found) => ({ policy: metadata.name, ...found }));
  });
}

function within(value: unknown, path: Path['fields'] = []): Omit<Path, 'policy'>[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, Path['entry']>).flatMap(([key, child]) => {
    const fields = [...path, Array.isArray(value) ? Number(key) : key];
    const entry = Array.isArray(value)
      ? [{ fields, entry: child, siblings: value.length - 1 }]
      : [];
    return [...entry, ...within(child, fields)];
  });
}

const specOf = (manifests: Manifests, policy: string): unknown =>
  manifests.get<INetworkPolicy>('NetworkPolicy', policy).spec;

function change(
  manifests: Manifests,
  { policy, fields }: Path,
  edit: (list: unknown[], index: number) => void,
): Change {
  const copy = new Manifests(structuredClone(manifests.all));
  const list = fields
    .slice(0, -1)
    .reduce((value, field) => (value as Record<string, unknown>)[field], specOf(copy, policy));
  edit(list as unknown[], fields.at(-1) as number);
  return { of: `${policy}, ${fields.join('.')}`, manifests: copy };
}

for (const variant of [demo, production]) {
  testBuilt(
    `removing any part of a policy of ${variant.name} blocks a required connection`,
    variant,
    (t, manifests) => {
      const all = cuts(manifests);
      t.true(all.length > 50);
      t.deepEqual(
        all
          .filter((each) => cutEdgeFindings(each.manifests).length === 0)
          .map(({ of }) => of)
          // Over NAT64, for clusters without IPv4: targets.test.ts compares it with the addresses that the dispatcher
          // accepts.
          .filter((of) => !of.startsWith('dispatcher, egress.0.to.2') && !of.includes('.except.')),
        [],
      );
    },
  );

  testBuilt(
    `removing the peers of a policy of ${variant.name} allows a connection that is not required`,
    variant,
    (t, manifests) => {
      const all = openings(manifests);
      t.true(all.length > 5);
      t.deepEqual(
        all.filter((each) => openEdgeFindings(each.manifests).length === 0).map(({ of }) => of),
        [],
      );
    },
  );
}
