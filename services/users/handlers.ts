import type { Handler, HandlerTable } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { idempotent, onPool, type SessionHandler } from '@roster/service/storage';
import { createKey } from './create-key.js';
import { createUser } from './create-user.js';
import { createWorkspace } from './create-workspace.js';
import { getMe } from './get-me.js';
import { revokeKey } from './revoke-key.js';
import { schema, type UsersService } from './service.js';
import { updateMe } from './update-me.js';
import { verifyKey } from './verify-key.js';

/** The operations that this service serves. */
export function handlers(service: UsersService): HandlerTable<'users'> {
  const { database } = service;
  const write = <Name extends keyof HandlerTable<'users'>>(
    name: Name,
    handler: SessionHandler<Operations[Name]>,
  ): Handler<Operations[Name]> => idempotent<Operations[Name]>(database, schema, name, handler);
  // Responses are not stored: they contain keys, and operators send no Idempotency-Key.
  const once = <Name extends keyof HandlerTable<'users'>>(
    handler: SessionHandler<Operations[Name]>,
  ): Handler<Operations[Name]> => onPool<Operations[Name]>(database, handler);
  return {
    'users.me': getMe(service),
    'users.create': write('users.create', createUser(service)),
    'users.update-me': write('users.update-me', updateMe),
    'workspaces.create': once<'workspaces.create'>(createWorkspace(service)),
    'keys.create': once<'keys.create'>(createKey(service)),
    'keys.revoke': once<'keys.revoke'>(revokeKey(service)),
    'keys.verify': verifyKey(service),
  };
}
