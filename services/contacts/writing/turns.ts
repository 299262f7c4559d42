/**
 * The writes of the contacts of a workspace take turns: each locks the watermark of the workspace until it is committed, before it
 * locks contacts, and gives its changes IDs greater than the watermark. The IDs of the changes of a workspace therefore ascend in
 * the order in which they become visible, whatever the clocks of processes do: a reader that has seen one has missed none before it.
 *
 * This is the part of a statement that takes the turns of the workspaces of its first parameter. A change has the ID of its event,
 * unless the watermark exceeds the first one.
 *
 * @param eventIds the parameter with the IDs of the events, ascending
 */
export const takingTurns = (eventIds: string): string => `turns as (
      insert into contacts.watermarks as w (workspace_id, last_id)
      select workspace_id, ${lastOf(eventIds)} from unnest($1::uuid[]) as own (workspace_id) group by workspace_id order by workspace_id
      on conflict (workspace_id) do update set last_id = case
        when w.last_id < (${eventIds}::uuid[])[1] then excluded.last_id
        else contacts.id_after(w.last_id, ${countOf(eventIds)})
      end
      returning workspace_id, last_id
    )`;

/**
 * The ID of the change of a row.
 *
 * @param row of `input`
 * @param turn of `turns`
 */
export const nextChangeId = (eventIds: string, row: string, turn: string): string => `
  case when ${turn}.last_id = ${lastOf(eventIds)} then ${row}.event_id
    else contacts.id_after(${turn}.last_id, ${row}.n - ${countOf(eventIds)}) end`;

/**
 * The time of a change, which is usually known without a function of the database.
 *
 * @param row with `event_id`, the `instant` of its ID, and `change_id`
 */
export const changeInstantOf = (row: string): string => `
  case when ${row}.change_id = ${row}.event_id then ${row}.instant else contacts.instant_of(${row}.change_id) end`;

const countOf = (eventIds: string): string => `cardinality(${eventIds}::uuid[])`;
const lastOf = (eventIds: string): string => `(${eventIds}::uuid[])[${countOf(eventIds)}]`;
