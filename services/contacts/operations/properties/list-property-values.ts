import type { Handler } from '@roster/bus';
import { propertyValuesLimits, uuidOf, type Operations } from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';

type GetValues = Operations['contacts.property-values'];

/** Values to choose from: no index finds the values of a property by their beginnings, so that a bounded number of contacts is read. */
export const listPropertyValues = (
  { database }: Pick<ContactsService, 'database'>,
  limits: Record<keyof typeof propertyValuesLimits, number> = propertyValuesLimits,
): Handler<GetValues> =>
  onPool(
    database,
    each<GetValues>(async ({ input: { property, prefix = '' }, caller }, session) => {
      const rows = await session.query<ValueRow>(select, [
        ...[uuidOf('workspace', caller.workspaceId), property, prefix],
        ...[limits.contacts, limits.values],
      ]);
      const values = rows
        .map(({ json, contacts }) => ({ value: String(JSON.parse(json)), contacts }))
        .filter(({ value }) => value.startsWith(prefix));
      // Sorting is stable: values of the same number of contacts remain in their order.
      values.sort((a, b) => b.contacts - a.contacts);
      return { values: values.slice(0, limits.values) };
    }),
  );

interface ValueRow {
  json: string;
  contacts: number;
}

/** The text of a number is that of JavaScript, which the database does not know: all numbers are read. */
const select: Statement = {
  name: 'contacts.property-values',
  text: `
    with counted as materialized (
      select value, value #>> '{}' as text, jsonb_typeof(value) = 'number' as is_number, count(*)::int as contacts
      from (
        select properties -> $2::text as value from contacts.contacts
        where workspace_id = $1::uuid order by id desc limit $4::int
      ) newest
      group by value
    )
    (
      select value::text as json, contacts from counted
      where not is_number and text <> '' and starts_with(text, $3::text)
      order by contacts desc, text collate "C" limit $5::int
    ) union all (
      select value::text, contacts from counted where is_number order by contacts desc, value
    )`,
};
