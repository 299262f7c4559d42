import { invalidFields, pointerTo, type Fault } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import { nearestName } from './nearest-name.js';

/** Maximum number of names that a suggestion is searched for at once: each is compared with all names of the workspace. */
const suggestionsMax = 3;

/**
 * Why contacts are refused while `strictProperties` is true, in their order; undefined for those whose names are all defined. To
 * hold until the contacts are written, it is called under `lockDefinitions`.
 *
 * @param brought property names of each contact
 */
export async function strictRefusals(
  session: Session,
  workspaceId: string,
  brought: readonly (readonly string[])[],
): Promise<(Fault | undefined)[]> {
  const [strict] = await session.query<{ names: string[] }>(select, [workspaceId]);
  if (!strict) return brought.map(() => undefined);
  const defined = new Set(strict.names);
  const messages = new Map<string, string>();
  const messageOf = (name: string) => {
    const found = messages.get(name);
    if (found !== undefined) return found;
    const nearest = messages.size < suggestionsMax ? nearestName(name, strict.names) : undefined;
    const advice =
      nearest === undefined
        ? 'define it as a contact property first'
        : `did you mean ${JSON.stringify(nearest)}?`;
    const message = `is not a known property: ${advice}`;
    messages.set(name, message);
    return message;
  };
  return brought.map((names) => {
    const unknown = names.filter((name) => !defined.has(name));
    if (unknown.length === 0) return undefined;
    return invalidFields(
      unknown.map((name) => ({
        pointer: pointerTo(['properties', name]),
        message: messageOf(name),
      })),
    );
  });
}

/** No row unless the names are checked. A workspace has about 1,000 definitions at most. */
const select: Statement = {
  name: 'contact-properties.strict',
  text: `
    select coalesce((select array_agg(name order by name) from contacts.contact_properties where workspace_id = $1), '{}') as names
    from contacts.settings where workspace_id = $1 and strict_properties`,
};
