import { apiKeyCursor, uuidOf, notFound, type Operations, type OutputOf } from '@roster/contracts';
import { each, type Session } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';
import { apiKeyShape } from '../keys/api-key.js';

export const getApiKey = each<Operations['api-keys.get']>(async ({ input, caller }, session) => {
  const key = await session.em.findOne(ApiKey, {
    workspaceId: uuidOf('workspace', caller.workspaceId),
    id: uuidOf('key', input.keyId),
    revokedAt: null,
  });
  if (!key) throw notFound('key');
  return { apiKey: apiKeyShape(key) };
});

type ListApiKeys = Operations['api-keys.list'];

export const listApiKeys = each<ListApiKeys>(({ input, caller }, session) =>
  pageOf(session, caller.workspaceId, input),
);

/** For operators. */
export const listKeys = each<Operations['keys.list']>(({ input }, session) =>
  pageOf(session, input.workspaceId, input),
);

/** Keys that are not revoked, oldest first. */
async function pageOf(
  { em }: Session,
  workspaceId: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<OutputOf<ListApiKeys>> {
  const rows = await em.find(
    ApiKey,
    {
      workspaceId: uuidOf('workspace', workspaceId),
      revokedAt: null,
      ...(after !== undefined && { id: { $gt: apiKeyCursor.uuidOfAfter(after) } }),
    },
    { orderBy: { id: 'asc' }, limit: limit + 1 },
  );
  const keys = rows.slice(0, limit);
  const next = rows.length > limit ? apiKeyCursor.ofUuid(keys.at(-1)!.id) : null;
  return { apiKeys: keys.map(apiKeyShape), pagination: { limit, next } };
}
