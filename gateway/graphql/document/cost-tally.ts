import type { GraphQLError } from 'graphql';
import { refused, shorten } from '../errors.js';
import { documentLimits } from './limits.js';

/** Sums up the cost of an operation, and of the fields selected on each of its fields. */
export class CostTally {
  /** Cost of a field of the operation, or of all fields selected on a nested field, by its path. Hostile paths are long. */
  readonly #byPath = new Map<readonly string[], number>();
  #cost = 0;
  #introspection = 0;

  /** Without introspection. */
  get cost(): number {
    return this.#cost;
  }

  get introspection(): number {
    return this.#introspection;
  }

  /** @param path response names from the root to the field, or the same array for all fields of a nested object: names to it */
  add(cost: number, path: readonly string[], introspects: boolean): void {
    if (introspects) {
      this.#introspection += cost;
      return;
    }
    this.#cost += cost;
    this.#byPath.set(path, (this.#byPath.get(path) ?? 0) + cost);
  }

  /** @throws GraphQLError `query_too_costly`, which names the cost, the limit and the field that costs most */
  check(limit: number, introspectionMax: number): void {
    if (this.#cost > limit) throw tooCostly(this.#cost, limit, this.#mostCostly());
    if (this.#introspection > introspectionMax)
      throw refused(
        'query_too_costly',
        'The document introspects more than the standard introspection query.',
      );
  }

  #mostCostly(): string {
    let most = { path: [] as readonly string[], cost: 0 };
    for (const [path, cost] of this.#byPath) if (cost > most.cost) most = { path, cost };
    return shorten(most.path.join('.'));
  }
}

/** @param field path of the field that costs most */
function tooCostly(cost: number, limit: number, field: string): GraphQLError {
  const [shown, max] = [Math.min(cost, Number.MAX_SAFE_INTEGER), limit].map((count) =>
    count.toLocaleString('en-US'),
  );
  const what =
    limit === documentLimits.eventCost
      ? `Each event costs ${shown}; the limit of a subscription is ${max}.`
      : `The document costs ${shown}; the limit is ${max}.`;
  const advice = 'Request fewer fields, or shorter lists with `first` or `last`.';
  return refused(
    'query_too_costly',
    `${what} The field that costs most is \`${field}\`. ${advice}`,
    {
      cost: Math.min(cost, Number.MAX_SAFE_INTEGER),
      limit,
      field,
    },
  );
}
