import { uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { originsOf } from './origins-of.js';

type ListOrigins = Operations['workspaces.origins'];

export const listOrigins: SessionHandler<ListOrigins> = each<ListOrigins>(
  async ({ caller }, session) => ({
    origins: await originsOf(session, uuidOf('workspace', caller.workspaceId)),
  }),
);
