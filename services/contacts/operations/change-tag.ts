import type { Call } from '@roster/bus';
import { Fault, uuidOf, type ContactChange, type Operations } from '@roster/contracts';
import { each, type Session, type SessionHandler, type Statement } from '@roster/storage';
import { insertAction } from '../actions/insert-action.js';
import type { ContactsService } from '../service.js';

type RenameTag = Operations['tags.rename'];
type DeleteTag = Operations['tags.delete'];

/** Contacts that have both tags keep the new one. */
export const renameTag = (service: ContactsService): SessionHandler<RenameTag> =>
  each<RenameTag>((call, session) => {
    const { tag, name } = call.input;
    return changeTagged(service, call, { removeTags: [tag], addTags: [name] }, session);
  });

export const deleteTag = (service: ContactsService): SessionHandler<DeleteTag> =>
  each<DeleteTag>((call, session) =>
    changeTagged(service, call, { removeTags: [call.input.tag] }, session),
  );

/**
 * Creates the action that changes all contacts with a tag.
 *
 * @throws Fault `not_found`, `limit_reached`
 */
const changeTagged = (
  service: ContactsService,
  call: Call<{ tag: string; dryRun: boolean }>,
  change: ContactChange,
  session: Session,
) =>
  session.transaction(async (inner) => {
    const { tag, dryRun } = call.input;
    const workspaceId = uuidOf('workspace', call.caller.workspaceId);
    const found = await inner.query(find, [workspaceId, tag]);
    if (found.length === 0) throw noSuchTag;
    // The tag of this name, also if it could be read as a condition.
    const filter = { tag: [`is:${tag}`] };
    return { action: await insertAction(service, call, { filter, change, dryRun }, inner) };
  });

const noSuchTag = new Fault('not_found', 'No such tag.');

/** A tag exists as long as a contact has it. */
const find: Statement = {
  name: 'tags.find',
  text: 'select 1 from contacts.tag_counters where workspace_id = $1::uuid and tag = $2',
};
