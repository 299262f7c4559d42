import type { Handler } from '@roster/bus';
import { uuidOf, type Operations } from '@roster/contracts';
import type { ContactsService } from '../service.js';
import { settingsOf } from './settings-of.js';

/** Runs one query per batch. */
export const getSettings =
  ({ database }: ContactsService): Handler<Operations['settings.get']> =>
  async (calls) => {
    const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    return (await settingsOf(database, workspaceIds)).map((settings) => ({ settings }));
  };
