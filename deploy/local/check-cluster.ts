import { askProcesses, type RunningProcess } from '@roster/bus';
import { programNames } from '@roster/contracts';

import { asOperator } from './as-operator.js';
import type { NatsConnection } from './nats-keys.js';

export interface ClusterCheck {
  check: string;
  isMet: boolean;
  detail: string;
  /** What to do; empty if nothing. */
  remedy: string;
}

/** Compares the running processes, as each describes itself over NATS. Throws as `asOperator`. */
export const checkCluster = async (connection: NatsConnection): Promise<ClusterCheck[]> =>
  checksOf(await asOperator(connection, ({ link }) => askProcesses(link)));

const expected = programNames.filter((program) => program !== 'operator');

/** Clocks that differ by more than this let statements about callers and keys expire early. */
const clockMsMax = 5000;

/** The checks of processes that have answered. */
export function checksOf(found: readonly RunningProcess[]): ClusterCheck[] {
  const checks = [
    replicas(found),
    same(found, 'version', ({ version }) => version, 'Complete the rollout.'),
    ...expected
      .filter((name) => found.filter((one) => one.name === name).length > 1)
      .map((name) =>
        same(
          found.filter((one) => one.name === name),
          `migrations of ${name}`,
          ({ metadata }) => metadata['migration'],
          'Processes of two releases run: complete the rollout.',
        ),
      ),
    signer(found),
    same(
      found,
      'CALLER_PUBLIC_KEYS',
      ({ metadata }) => metadata['caller-keys'],
      'Give all processes the same list, and restart those that differ.',
    ),
    same(
      found.filter(({ name }) => name === 'webhooks'),
      'TOKEN_KEYS',
      ({ metadata }) => metadata['token-keys'],
      'Restart the replicas of webhooks that have the former list.',
    ),
    same(
      found.filter(({ metadata }) => metadata['stream'] !== undefined),
      'settings of the stream',
      ({ metadata }) => metadata['stream'],
      'Give all services the same EVENTS_REPLICAS and EVENTS_MAX_AGE_SECONDS, and restart them.',
    ),
    clocks(found),
  ];
  // What no process answers, `replicas` reports.
  return checks.filter(({ detail }) => detail !== '');
}

function replicas(found: readonly RunningProcess[]): ClusterCheck {
  const counts = expected.map(
    (name) => [name, found.filter((one) => one.name === name).length] as const,
  );
  const missing = counts.filter(([, count]) => count === 0).map(([name]) => name);
  return {
    check: 'replicas',
    isMet: missing.length === 0,
    detail: counts.map(([name, count]) => `${name} ${count}`).join(', '),
    remedy:
      missing.length === 0
        ? ''
        : `No process of ${missing.join(', ')} answers: see its log. One of a release before 0.3.0, or with permissions of such a release, does not answer.`,
  };
}

/** Whether a value is the same in all processes. Those that differ from most are named. */
function same(
  found: readonly RunningProcess[],
  check: string,
  valueOf: (process: RunningProcess) => string | undefined,
  remedy: string,
): ClusterCheck {
  const groups = [...Map.groupBy(found, (one) => valueOf(one) ?? 'none')].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  const [[most] = ['none']] = groups;
  const isMet = groups.length <= 1;
  const detail = groups
    .map(([value, same]) => (value === most ? value : `${value}: ${same.map(nameOf).join(', ')}`))
    .join('; ');
  return { check, isMet, detail, remedy: isMet ? '' : remedy };
}

/** Whether each process can verify what the users service signs. */
function signer(found: readonly RunningProcess[]): ClusterCheck {
  const check = 'CALLER_SIGNING_KEY';
  const keys = new Set(
    found.filter(({ name }) => name === 'users').map(({ metadata }) => metadata['signing-key']),
  );
  const [key] = keys;
  if (keys.size > 1) {
    const detail = [...keys].map((one) => one ?? 'none').join('; ');
    return { check, isMet: false, detail, remedy: 'Complete the rotation: restart users.' };
  }
  const listed = ({ metadata }: RunningProcess) => (metadata['caller-keys'] ?? '').split(' ');
  const without = key === undefined ? [] : found.filter((one) => !listed(one).includes(key));
  const isMet = key !== undefined && without.length === 0;
  return {
    ...{ check, isMet },
    detail: key ?? 'none: claims of callers are believed, or no process of users answers',
    remedy:
      without.length > 0
        ? `Append its public key to CALLER_PUBLIC_KEYS of ${without.map(nameOf).join(', ')}, and restart.`
        : isMet
          ? ''
          : 'Set CALLER_SIGNING_KEY of users and CALLER_PUBLIC_KEYS of all processes.',
  };
}

function clocks(found: readonly RunningProcess[]): ClusterCheck {
  // An answer was written between both times.
  const differences = found.map((one) => {
    const at = Date.parse(one.metadata['time'] ?? '');
    return { one, ms: at < one.askedAt ? at - one.askedAt : Math.max(0, at - one.answeredAt) };
  });
  const wrong = differences.filter(({ ms }) => !(Math.abs(ms) <= clockMsMax));
  const greatest = Math.max(0, ...differences.map(({ ms }) => Math.abs(ms)));
  return {
    check: 'clocks',
    isMet: wrong.length === 0,
    detail:
      wrong.length === 0
        ? `within ${(greatest / 1000).toFixed(1)} s of this machine`
        : wrong
            .map(
              ({ one, ms }) =>
                `${nameOf(one)} ${Number.isNaN(ms) ? 'unknown' : `${(ms / 1000).toFixed(1)} s`}`,
            )
            .join(', '),
    remedy: wrong.length === 0 ? '' : 'Synchronise the clocks of these machines, or of this one.',
  };
}

const nameOf = ({ name, id, metadata: { hostname = id } }: RunningProcess): string =>
  `${name} on ${hostname}`;

/** A line for each check, and one for what to do. */
export const printChecks = (checks: readonly ClusterCheck[]): string =>
  checks
    .map(
      ({ check, isMet, detail, remedy }) =>
        `${isMet ? 'ok    ' : 'failed'}  ${check}: ${detail}${remedy && `\n        ${remedy}`}`,
    )
    .join('\n');
