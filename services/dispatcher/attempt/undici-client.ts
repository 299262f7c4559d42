import { createRequire } from 'node:module';
import type { Client as UndiciClient } from 'undici';

/**
 * A file that undici does not document, loaded alone: the other parts of undici (fetch, WebSocket, caches, mocks) use 3 MiB of
 * memory. A test fails if a version lacks it.
 */
export const Client = createRequire(import.meta.url)(
  'undici/lib/dispatcher/client.js',
) as typeof UndiciClient;
