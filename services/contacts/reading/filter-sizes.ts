import { createHash } from 'node:crypto';
import type { Search } from './search.js';

/** `few`: an index finds fewer contacts than are read first. `many`: more match than are counted. */
export type FilterSize = 'few' | 'many';

/** How long a filter that matches many contacts is not counted again. */
export const manyMs = 10_000;

/** Maximum number of filters of a workspace. Further ones evict its own only. */
export const filtersMax = 16;
export const workspacesMax = 1000;

interface Known {
  size: FilterSize;
  at: number;
  /** The number of contacts that matched, of `many`. */
  estimate: number | undefined;
}

/**
 * What earlier searches found out about filters, so that counting to the limit is not repeated for every page. `few` only chooses
 * the statement: totals are counted again. `many` becomes wrong if contacts are changed, and is therefore kept for seconds.
 */
export class FilterSizes {
  readonly #workspaces = new Map<string, Map<string, Known>>();
  readonly #now: () => number;

  /** @param now a clock in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  of({ values }: Pick<Search, 'values'>): FilterSize | undefined {
    const known = this.#workspaces.get(workspaceOf(values))?.get(filterOf(values));
    if (known?.size === 'many' && this.#now() - known.at >= manyMs) return undefined;
    return known?.size;
  }

  /** The number that `many` was remembered with. */
  estimateOf({ values }: Pick<Search, 'values'>): number | undefined {
    return this.#workspaces.get(workspaceOf(values))?.get(filterOf(values))?.estimate;
  }

  remember({ values }: Pick<Search, 'values'>, size: FilterSize, estimate?: number): void {
    const [workspace, filter] = [workspaceOf(values), filterOf(values)];
    const filters = this.#workspaces.get(workspace) ?? new Map<string, Known>();
    // The last ones of both maps are the latest.
    filters.delete(filter);
    filters.set(filter, { size, at: this.#now(), estimate });
    if (filters.size > filtersMax) filters.delete(filters.keys().next().value!);
    this.#workspaces.delete(workspace);
    this.#workspaces.set(workspace, filters);
    if (this.#workspaces.size > workspacesMax)
      this.#workspaces.delete(this.#workspaces.keys().next().value!);
  }

  forget({ values }: Pick<Search, 'values'>): void {
    this.#workspaces.get(workspaceOf(values))?.delete(filterOf(values));
  }
}

const workspaceOf = ([workspaceId]: unknown[]): string => String(workspaceId);

/** A digest: values may be long. */
const filterOf = ([, ...conditions]: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(conditions)).digest('base64');
