import type { Call } from '@roster/bus';
import { uuidOf, type PropertyValue } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';

interface WithValues {
  contactId?: string;
  properties?: Readonly<Record<string, PropertyValue | null>> | undefined;
}

/**
 * The calls without the numbers and booleans of properties that are not defined, where the contact has exactly these: it is sent back
 * as it was returned, after their definition was deleted. Other numbers and booleans are kept, which are refused.
 *
 * @param undefinedIn the names in a call that are not defined. Only a call with such values reads its contact
 */
export async function withoutUnchanged<C extends Call<WithValues>>(
  calls: readonly C[],
  undefinedIn: (call: C) => readonly string[],
  session: Session,
): Promise<C[]> {
  const given = calls.flatMap((call, index) => {
    const { contactId, properties = {} } = call.input;
    if (contactId === undefined) return [];
    const names = undefinedIn(call).filter((name) => isTyped(properties[name]));
    return names.map((name) => ({ index, name, contactId, value: properties[name]! }));
  });
  if (given.length === 0) return [...calls];
  const stored = await session.query<{ n: number; value: string }>(select, [
    given.map(({ index }) => uuidOf('workspace', calls[index]!.caller.workspaceId)),
    given.map(({ contactId }) => uuidOf('contact', contactId)),
    given.map(({ name }) => name),
  ]);
  const kept = calls.map(({ input }) => ({ ...input.properties }));
  for (const { n, value } of stored) {
    const { index, name, value: own } = given[n - 1]!;
    if (JSON.parse(value) === own) delete kept[index]![name];
  }
  const changed = new Set(given.map(({ index }) => index));
  return calls.map((call, index) =>
    changed.has(index) ? { ...call, input: { ...call.input, properties: kept[index] } } : call,
  );
}

const isTyped = (value: PropertyValue | null | undefined): boolean =>
  typeof value === 'number' || typeof value === 'boolean';

const select: Statement = {
  name: 'contact-properties.unchanged',
  text: `
    select requested.n::int, (c.properties -> requested.name)::text as value
    from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as requested (workspace_id, id, name, n)
      join contacts.contacts c on c.workspace_id = requested.workspace_id and c.id = requested.id
    where c.properties ? requested.name`,
};
