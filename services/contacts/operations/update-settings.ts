import { operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type SessionHandler, type Statement } from '@roster/storage';
import { auditLog } from '../service.js';
import { lockDefinitions } from '../writing/definitions/definition-rows.js';
import { settingsOf } from './get-settings.js';

type UpdateSettings = Operations['settings.update'];

/** No process keeps settings in memory: a change applies to all of them once it is committed. */
export const updateSettings: SessionHandler<UpdateSettings> = each<UpdateSettings>(
  (call, session) =>
    session.transaction(async (inner) => {
      const workspaceId = uuidOf('workspace', call.caller.workspaceId);
      // Names are defined under this lock: a contact that is written after the response obeys the settings.
      await lockDefinitions(inner, workspaceId, []);
      const [former] = await settingsOf(inner, [workspaceId]);
      requireMatch(call, operations['settings.get'], () => JSON.stringify({ settings: former }));
      const { strictProperties = former!.strictProperties } = call.input;
      const settings = { strictProperties };
      if (strictProperties !== former!.strictProperties) {
        await inner.query(store, [workspaceId, strictProperties]);
        await auditLog.record(inner, call, {
          action: 'settings.updated',
          resourceId: call.caller.workspaceId,
          before: { ...former },
          after: settings,
        });
      }
      return { settings };
    }),
);

const store: Statement = {
  name: 'settings.store',
  text: `
    insert into contacts.settings (workspace_id, strict_properties) values ($1, $2)
    on conflict (workspace_id) do update set strict_properties = excluded.strict_properties`,
};
