import type { Caller } from '@roster/contracts';

const none: ReadonlySet<string> = new Set();
const listed = new WeakMap<Caller, ReadonlySet<string>>();

/** Keeps the origins that the workspace of a verified caller lists, for as long as the caller is cached. */
export function keepOrigins(caller: Caller, origins: ReadonlySet<string>): void {
  if (origins.size > 0 || listed.has(caller)) listed.set(caller, origins);
}

/** The origins of the workspace of a caller, as of the verification of its key. */
export const originsOf = (caller: Caller): ReadonlySet<string> => listed.get(caller) ?? none;
