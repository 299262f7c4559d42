import { InvalidArgumentError } from '@commander-js/extra-typings';

import { UsageError } from '../failure.js';
import type { LoggedEvent } from './local-delivery.js';

/**
 * Whether the body of an event has all of these values, each as `path=value` with a path such as `data.contact.email`. An array has
 * a value if one of its elements is it.
 *
 * @throws UsageError
 */
export function parseFilter(pairs: readonly string[]): (event: LoggedEvent) => boolean {
  const wanted = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--filter ${pair}: it must be path=value.`);
    return { path: pair.slice(0, at).split('.'), value: pair.slice(at + 1) };
  });
  return ({ kind, createdAt, data }) => {
    const body = { event: kind, created_at: createdAt, data };
    return wanted.every(({ path, value }) =>
      [valueAt(body, path)].flat().some((found) => textOf(found) === value),
    );
  };
}

/** The address of a handler: any of HTTP, since it is the machine of who names it. */
export function handlerUrl(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hash)
    throw new InvalidArgumentError('It must be an address such as http://localhost:3000/hook.');
  return url;
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  );

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : JSON.stringify(value);
