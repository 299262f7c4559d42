import type { IdClock } from '@roster/service';

/** Properties that contacts of a batch carry and that may lack a definition, as columns for `unnest`. */
export interface Definitions {
  columns: [workspaceIds: string[], contactIds: string[], ids: string[], names: string[]];
  /**
   * To be called once the batch is committed. Those that came with a refused contact are not defined.
   *
   * @param written ids of the contacts in the relation that `defineProperties` was given
   */
  remember(written: ReadonlySet<string>): void;
}

/** Definitions are never deleted: what was seen once needs no look again. Bounded; forgetting only costs an insert. */
const known = new Set<string>();
const knownMax = 50_000;

export function definitionsOf(
  contacts: readonly { workspaceId: string; id: string; names: readonly string[] }[],
  ids: IdClock,
): Definitions {
  const columns: Definitions['columns'] = [[], [], [], []];
  const brought: { contactId: string; key: string }[] = [];
  for (const { workspaceId, id, names } of contacts) {
    for (const name of names) {
      const key = `${workspaceId} ${name}`;
      if (known.has(key)) continue;
      brought.push({ contactId: id, key });
      columns[0].push(workspaceId);
      columns[1].push(id);
      columns[2].push(ids.next());
      columns[3].push(name);
    }
  }
  return {
    columns,
    remember(written) {
      if (known.size + brought.length > knownMax) known.clear();
      for (const { contactId, key } of brought) if (written.has(contactId)) known.add(key);
    },
  };
}

/**
 * A data-modifying CTE that defines, as strings labelled by their name, the properties of contacts in `written`.
 *
 * @param first number of the first of the four column parameters
 */
export const defineProperties = (first: number, written: string): string => `
    defined as (
      insert into contacts.contact_properties (workspace_id, id, name, label)
      select distinct on (d.workspace_id, d.name) d.workspace_id, d.id, d.name, d.name
      from unnest($${first}::uuid[], $${first + 1}::uuid[], $${first + 2}::uuid[], $${first + 3}::text[])
          as d (workspace_id, contact_id, id, name)
        join ${written} w on w.workspace_id = d.workspace_id and w.id = d.contact_id
      order by d.workspace_id, d.name
      on conflict (workspace_id, name) do nothing
    )`;
