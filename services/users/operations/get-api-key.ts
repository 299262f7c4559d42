import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';
import { apiKeyShape } from '../keys/api-key.js';

type GetApiKey = Operations['api-keys.get'];

export const getApiKey: SessionHandler<GetApiKey> = each<GetApiKey>(
  async ({ input, caller }, session) => {
    const key = await session.em.findOne(ApiKey, {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('key', input.keyId),
      revokedAt: null,
    });
    if (!key) throw notFound('key');
    return { apiKey: apiKeyShape(key) };
  },
);
