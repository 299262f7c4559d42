import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { isByProperty, newestFirst, type Order } from '../../data/first-requests.js';
import { isMet } from './condition.js';
import type { ContactFilter, ContactRowFragment, ContactSort } from './contacts.graphql.js';
import type { PropertyValue } from './property-value.js';

/** What of the contacts is shown, in the address of the page. */
export interface View {
  q: string;
  /** Conditions in the API's grammar, as those of properties: `vip`, `any:vip,customer`. */
  tags: string[];
  status: 'SUBSCRIBED' | 'UNSUBSCRIBED' | undefined;
  /** One or more of each: a range has two. */
  properties: Record<string, string[]>;
  /** Days in the reader's zone, `2026-11-27`. */
  from: string;
  to: string;
  sort: Order;
}

/** The newest first, by default. */
const sorts: Record<string, ContactSort> = {
  oldest: 'CREATED_AT',
  changed: 'UPDATED_AT_DESC',
  email: 'EMAIL',
  name: 'NAME',
};
const propertyPrefix = 'p.';
/** As many as the API takes. */
const conditionsEachMax = 4;

export function useView() {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const view = useMemo(() => viewOf(new URLSearchParams(text)), [text]);
  const change = (more: Partial<View>) =>
    setParams(paramsOf({ ...view, ...more }), { replace: true });
  return { view, change, search: text && `?${text}` };
}

function viewOf(params: URLSearchParams): View {
  const status = params.get('status')?.toUpperCase();
  return {
    q: params.get('q') ?? '',
    tags: params.getAll('tag').slice(0, 20),
    status: status === 'SUBSCRIBED' || status === 'UNSUBSCRIBED' ? status : undefined,
    properties: Object.fromEntries(
      [...new Set(params.keys())]
        .filter((name) => name.startsWith(propertyPrefix))
        .map((name) => [
          name.slice(propertyPrefix.length),
          [...new Set(params.getAll(name))].slice(0, conditionsEachMax),
        ]),
    ),
    from: dayIn(params.get('from')),
    to: dayIn(params.get('to')),
    sort: orderIn(params.get('sort') ?? ''),
  };
}

function paramsOf({ q, tags, status, properties, from, to, sort }: View): URLSearchParams {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q);
  for (const tag of tags) params.append('tag', tag);
  if (status) params.set('status', status.toLowerCase());
  for (const [name, conditions] of Object.entries(properties))
    for (const one of conditions) params.append(propertyPrefix + name, one);
  if (from) params.set('from', from);
  if (to) params.set('to', to);
  const name = isByProperty(sort) ? sort : Object.keys(sorts).find((one) => sorts[one] === sort);
  if (name) params.set('sort', name);
  return params;
}

const dayIn = (text: string | null): string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

const orderIn = (text: string): Order => (isByProperty(text) ? text : (sorts[text] ?? newestFirst));

export const noView = (sort: Order): View => ({
  q: '',
  tags: [],
  status: undefined,
  properties: {},
  from: '',
  to: '',
  sort,
});

/** Undefined without a filter. */
export function filterOf({
  q,
  tags,
  status,
  properties,
  from,
  to,
}: View): ContactFilter | undefined {
  const filter: ContactFilter = {
    ...(q.trim() !== '' && { q: q.trim() }),
    ...(tags.length > 0 && { tag: tags }),
    ...(status && { status }),
    ...(Object.keys(properties).length > 0 && { property: properties }),
    ...(from && { createdAfter: new Date(startOf(from).getTime() - 1).toISOString() }),
    ...(to && { createdBefore: startOf(to, 1).toISOString() }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** Midnight in the reader's zone. */
function startOf(day: string, later = 0): Date {
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year!, month! - 1, date! + later);
}

/** Whether a contact that was just created is probably one of those shown. The list itself is the API's. */
export function matches(view: View, contact: ContactRowFragment): boolean {
  const q = view.q.trim().toLowerCase();
  const words = contact.name.toLowerCase().split(/\s+/);
  const { createdAfter, createdBefore } = filterOf(view) ?? {};
  return (
    (q === '' ||
      contact.email.toLowerCase().includes(q) ||
      q.split(/\s+/).every((part) => words.some((word) => word.startsWith(part)))) &&
    view.tags.every((condition) => isMet(condition, contact.tags, false)) &&
    (!view.status || contact.status === view.status) &&
    Object.entries(view.properties).every(([name, conditions]) => {
      const value = contact.properties[name] as PropertyValue | undefined;
      return conditions.every((one) => isMet(one, value === undefined ? [] : [value], true));
    }) &&
    (!createdAfter || contact.createdAt > createdAfter) &&
    (!createdBefore || contact.createdAt < createdBefore)
  );
}
