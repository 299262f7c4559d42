import type { Handler } from '@roster/bus';
import { propertyValuesLimits, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';

type GetValues = Operations['contacts.property-values'];
type Value = OutputOf<GetValues>['values'][number];

/** Values to choose from: no index finds the values of a property by their beginnings, so that a bounded number of contacts is read. */
export const listPropertyValues = (
  { database }: Pick<ContactsService, 'database'>,
  limits: Record<keyof typeof propertyValuesLimits, number> = propertyValuesLimits,
): Handler<GetValues> =>
  onPool(
    database,
    each<GetValues>(async ({ input: { property, prefix = '' }, caller }, session) => ({
      values: await session.query<Value>(select, [
        ...[uuidOf('workspace', caller.workspaceId), property, prefix],
        ...[limits.contacts, limits.values],
      ]),
    })),
  );

const select: Statement = {
  name: 'contacts.property-values',
  text: `
    select value, count(*)::int as contacts
    from (
      select properties ->> $2::text as value from contacts.contacts
      where workspace_id = $1::uuid order by id desc limit $4::int
    ) newest
    where value <> '' and starts_with(value, $3::text)
    group by value order by contacts desc, value collate "C" limit $5::int`,
};
