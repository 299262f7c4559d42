import type { Handler, HandlerTable } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { printPublicKey } from '@roster/process';
import {
  idempotent,
  onPool,
  verifyOutbox,
  type AnswerCipher,
  type SessionHandler,
} from '@roster/storage';
import {
  createAdminWorkspace,
  getAdminWorkspace,
  listAdminWorkspaces,
  listAdminWorkspaceUsers,
  updateAdminWorkspace,
  verifyAdminKey,
} from './operations/admin-workspaces.js';
import { resumeWorkspace, suspendWorkspace } from './operations/suspend-workspace.js';
import { checkKey } from './operations/check-key.js';
import {
  describeIdentitySignIn,
  finishIdentitySignIn,
  startIdentitySignIn,
} from './operations/identity-sign-ins.js';
import { createToken } from './operations/create-token.js';
import { createUser } from './operations/create-user.js';
import { createWorkspace } from './operations/create-workspace.js';
import { deleteWorkspace } from './operations/delete-workspace.js';
import { deleteUser } from './operations/delete-user.js';
import { getMe, updateMe } from './operations/me.js';
import { createApiKey, createKey } from './operations/create-api-key.js';
import { getApiKey, listApiKeys, listKeys } from './operations/read-api-keys.js';
import { getCurrentKey } from './operations/get-current-key.js';
import { deleteApiKey, revokeKey } from './operations/revoke-key.js';
import { rotateApiKey, rotateKey } from './operations/rotate-api-key.js';
import { setSignIn } from './operations/set-sign-in.js';
import { shownOnce } from './keys/issue-key.js';
import { verifyKey } from './operations/verify-key.js';
import { getWorkspaceName, listWorkspaces } from './operations/list-workspaces.js';
import { listAuditLog } from './operations/list-audit-log.js';
import { checkOrigin, listOrigins, setOrigins } from './operations/origins.js';
import { createExportLink, useExportLink } from './operations/export-links.js';
import { describeLink, openSession } from './operations/open-session.js';
import {
  createLink,
  createSessionToken,
  deleteSession,
  endSession,
  getSession,
  listSessions,
} from './operations/sessions.js';
import { schema, type UsersService } from './service.js';
import { getQuota } from './operations/get-quota.js';
import { getUsage, getWorkspaceUsage } from './operations/read-usage.js';
import { reportUsage } from './operations/report-usage.js';
import { getUser, listUsers, listUsersOfWorkspace } from './operations/read-users.js';

/** The operations that this service serves. */
export function handlers(service: UsersService): HandlerTable<'users'> {
  const { database, signer } = service;
  const publicKey = signer ? printPublicKey(signer.publicKey) : null;
  const write = <Name extends keyof HandlerTable<'users'>>(
    name: Name,
    handler: SessionHandler<Operations[Name]>,
    cipher?: AnswerCipher,
  ): Handler<Operations[Name]> =>
    idempotent<Operations[Name]>(database, schema, name, handler, cipher && { cipher });
  return {
    'users.me': getMe(service),
    'users.list': onPool(database, listUsers),
    'users.get': onPool(database, getUser),
    'users.create': write('users.create', createUser(service)),
    'users.update-me': write('users.update-me', updateMe),
    'users.delete': write('users.delete', deleteUser(service)),
    'api-keys.list': onPool(database, listApiKeys),
    'api-keys.get': onPool(database, getApiKey),
    'api-keys.create': write('api-keys.create', createApiKey(service), shownOnce),
    'api-keys.rotate': write('api-keys.rotate', rotateApiKey(service), shownOnce),
    'api-keys.set-sign-in': write('api-keys.set-sign-in', setSignIn(service)),
    'api-keys.delete': write('api-keys.delete', deleteApiKey(service)),
    'key.get': getCurrentKey(service),
    'audit-log.list': onPool(database, listAuditLog(service)),
    'workspaces.origins': onPool(database, listOrigins),
    'workspaces.set-origins': write('workspaces.set-origins', setOrigins(service)),
    'origins.check': checkOrigin(service),
    // Responses are not stored: they contain keys, and operators send no Idempotency-Key.
    'workspaces.create': onPool(database, createWorkspace(service)),
    'workspaces.list': onPool(database, listWorkspaces),
    'workspaces.name': onPool(database, getWorkspaceName),
    'workspaces.users': onPool(database, listUsersOfWorkspace),
    'keys.create': onPool(database, createKey(service)),
    'keys.list': onPool(database, listKeys),
    'keys.rotate': onPool(database, rotateKey(service)),
    'keys.revoke': onPool(database, revokeKey(service)),
    'keys.check': checkKey(service),
    'keys.verify': verifyKey(service),
    'caller-keys.get': async (calls) => calls.map(() => ({ publicKey })),
    'tokens.create': createToken(service),
    'session-links.create': onPool(database, createLink(service)),
    'session-links.describe': onPool(database, describeLink),
    'export-links.create': onPool(database, createExportLink(service)),
    'export-links.use': onPool(database, useExportLink(service)),
    'identity-sign-ins.describe': describeIdentitySignIn(service),
    'identity-sign-ins.start': startIdentitySignIn(service),
    'identity-sign-ins.finish': finishIdentitySignIn(service),
    'sessions.open': onPool(database, openSession(service)),
    'sessions.create-token': onPool(database, createSessionToken(service)),
    'sessions.end': onPool(database, endSession(service)),
    'sessions.list': onPool(database, listSessions),
    'sessions.get': onPool(database, getSession),
    'workspace-quotas.get': getQuota(service),
    'usage.get': onPool(database, getUsage(service)),
    'usage.report': onPool(database, reportUsage),
    'users.verify-outbox': verifyOutbox({ ...service, schema }),
    'sessions.delete': write('sessions.delete', deleteSession(service)),
    'admin-keys.verify': verifyAdminKey(service),
    // Responses are not stored: the requests of operators have no workspace that an Idempotency-Key would belong to.
    'admin-workspaces.create': onPool(database, createAdminWorkspace(service)),
    'admin-workspaces.list': onPool(database, listAdminWorkspaces(service)),
    'admin-workspaces.get': onPool(database, getAdminWorkspace(service)),
    'admin-workspaces.update': onPool(database, updateAdminWorkspace(service)),
    'admin-workspaces.suspend': onPool(database, suspendWorkspace(service)),
    'admin-workspaces.resume': onPool(database, resumeWorkspace(service)),
    'admin-workspaces.delete': onPool(database, deleteWorkspace(service)),
    'admin-workspaces.users': onPool(database, listAdminWorkspaceUsers(service)),
    'admin-workspaces.usage': onPool(database, getWorkspaceUsage(service)),
  };
}
