import { anyScope } from '@roster/contracts';
import { refusals, type Schema } from './compare-schemas.js';

/** The promises of a release: to processes of the former release, to clients and to receivers. */
export interface Contracts {
  /** By name, which is also the subject. */
  operations: Record<string, OperationContract>;
  /** The `data` of each kind of event. */
  events: Record<string, Schema>;
  /** Fields of each broadcast and their types, as declared. */
  broadcasts: Record<string, Record<string, string>>;
  /** HTTP status by code. */
  faults: Record<string, number>;
  /** What NATS allows programs, such as `gateway publishes contacts.get`. */
  permissions: readonly string[];
}

export interface OperationContract {
  service: string;
  access: string;
  http: Record<string, unknown> | undefined;
  /** The input that a client may send. */
  input: Schema;
  /** The input between processes: parsed, with defaults. */
  parsedInput: Schema;
  output: Schema;
}

/**
 * Incompatible changes of the contracts. During an upgrade, processes of both releases run side by side: each must
 * accept the requests and the responses of the other, and clients must not be affected.
 */
export function brokenPromises(former: Contracts, now: Contracts): string[] {
  return [
    ...eachOf(former.operations, now.operations, 'operation', brokenOperation),
    ...eachOf(former.events, now.events, 'event', (before, after) =>
      refusals(after, before, { open: true }),
    ),
    ...eachOf(former.broadcasts, now.broadcasts, 'broadcast', brokenBroadcast),
    ...eachOf(former.faults, now.faults, 'fault', (before, after) =>
      before === after ? [] : [`: has status ${after} instead of ${before}`],
    ),
    // During an upgrade, the former release has the permissions of this one.
    ...former.permissions
      .filter((permission) => !now.permissions.includes(permission))
      .map((permission) => `NATS denies: ${permission}`),
  ];
}

function eachOf<Item>(
  former: Record<string, Item>,
  now: Record<string, Item>,
  what: string,
  compare: (before: Item, after: Item) => string[],
): string[] {
  return Object.entries(former).flatMap(([name, before]) => {
    const after = now[name];
    if (after === undefined) return [`${what} ${name} was removed`];
    return compare(before, after).map((reason) => `${what} ${name}${reason}`);
  });
}

function brokenOperation(before: OperationContract, after: OperationContract): string[] {
  const moved = (['service', 'access'] as const).filter((name) => before[name] !== after[name]);
  const bound = Object.entries(before.http ?? {})
    .filter(([name, value]) => name !== 'tag' && !contains(after.http?.[name], value))
    // Callers of the former release hold a scope. Its gateways and services refuse keys without the former one, as before.
    .filter(([name]) => name !== 'scope' || after.http?.[name] !== anyScope)
    .map(([name, value]) => `: http.${name} is not ${JSON.stringify(value)} any more`);
  const inputProblems = (reasons: string[]) => reasons.map((reason) => ` input ${reason}`);
  return [
    ...moved.map((name) => `: ${name} is ${after[name]} instead of ${before[name]}`),
    ...bound,
    ...inputProblems(refusals(before.input, after.input, { open: false })),
    // A gateway of the former release does not add the defaults of this release, and services do not parse its input.
    ...inputProblems(refusals(before.parsedInput, after.parsedInput, { open: false })),
    // A service of the former release receives calls of a gateway of this release.
    ...inputProblems(
      refusals(after.parsedInput, before.parsedInput, { open: true, newValues: true }),
    ).map((reason) => `${reason} (to a service of the former release)`),
    ...refusals(after.output, before.output, { open: true }).map((reason) => ` output ${reason}`),
  ];
}

function brokenBroadcast(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.entries(before)
    .filter(([field, type]) => after[field] !== type)
    .map(([field, type]) => `/${field}: is not ${type} any more`);
}

/** Whether a binding is the same as before, except that lists, such as those of media types, may be longer. */
function contains(now: unknown, before: unknown): boolean {
  if (typeof before !== 'object' || before === null) return now === before;
  if (typeof now !== 'object' || now === null) return false;
  if (Array.isArray(before))
    return Array.isArray(now) && before.every((one) => now.some((other) => contains(other, one)));
  return Object.entries(before).every(([name, value]) =>
    contains((now as Record<string, unknown>)[name], value),
  );
}
