import { authenticate, me } from './authenticate.js';
import { get, getWorkspaces, getZipf } from './get.js';
import type { Job } from './job.js';
import { list, listCursor, listOffset, listSmall } from './list.js';
import { mixed } from './mixed.js';
import { create, createWithKey, createWithWebhook, remove, update } from './write.js';

/** All jobs, by their names in `npm run bench`. A new job is a file and a line here. */
export const jobs: Record<string, Job> = {
  get,
  'get-zipf': getZipf,
  'get-workspaces': getWorkspaces,
  'list-small': listSmall,
  list,
  'list-offset': listOffset,
  'list-cursor': listCursor,
  create,
  'create-webhook': createWithWebhook,
  'create-with-key': createWithKey,
  update,
  delete: remove,
  mixed,
  authenticate,
  me,
};
