import { refusals, type Schema } from './compare-schemas.js';

/** What a release promises to others: to processes of the release before it, to clients and to receivers. */
export interface Contracts {
  /** By name, which is the subject. */
  operations: Record<string, OperationContract>;
  /** `data` of each kind of event. */
  events: Record<string, Schema>;
  /** Fields of each broadcast and their types, as written. */
  broadcasts: Record<string, Record<string, string>>;
  /** HTTP status by code. */
  faults: Record<string, number>;
}

export interface OperationContract {
  service: string;
  access: string;
  http: Record<string, unknown> | undefined;
  /** As a client may write it. */
  input: Schema;
  /** As it travels between processes: parsed, with defaults. */
  parsedInput: Schema;
  output: Schema;
}

/**
 * What of the former contracts does not hold any more. Processes of both releases run side by side during an upgrade: each must
 * be able to ask the other and to read its answers, and no client may notice.
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
    if (after === undefined) return [`${what} ${name} is gone`];
    return compare(before, after).map((reason) => `${what} ${name}${reason}`);
  });
}

function brokenOperation(before: OperationContract, after: OperationContract): string[] {
  const moved = (['service', 'access'] as const).filter((name) => before[name] !== after[name]);
  const bound = Object.entries(before.http ?? {})
    .filter(([name, value]) => name !== 'tag' && !equal(after.http?.[name], value))
    .map(([name, value]) => `: http.${name} is not ${JSON.stringify(value)} any more`);
  const asked = (reasons: string[]) => reasons.map((reason) => ` input ${reason}`);
  return [
    ...moved.map((name) => `: ${name} is ${after[name]} instead of ${before[name]}`),
    ...bound,
    ...asked(refusals(before.input, after.input, { open: false })),
    // A gateway of the former release knows no defaults of this one, and services do not parse what it sends.
    ...asked(refusals(before.parsedInput, after.parsedInput, { open: false })),
    // A service of the former release is asked by a gateway of this one.
    ...asked(refusals(after.parsedInput, before.parsedInput, { open: true })).map(
      (reason) => `${reason} (to a service of the former release)`,
    ),
    ...refusals(after.output, before.output, { open: true }).map((reason) => ` output ${reason}`),
  ];
}

function brokenBroadcast(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.entries(before)
    .filter(([field, type]) => after[field] !== type)
    .map(([field, type]) => `/${field}: is not ${type} any more`);
}

const equal = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
