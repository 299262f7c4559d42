import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { email, text, timestamp } from '../../text.js';

export const user = z
  .object({
    id: idSchema('user'),
    email: z.string().meta({ format: 'idn-email' }),
    name: z.string(),
    createdAt: timestamp,
    lastAccessedAt: timestamp,
  })
  .meta({ id: 'User' });

export const userName = text(1, 256);
/** Position of a user in the order of creation. */
export const userCursor = idCursor('user');

const one = z.object({ user });
const userId = idSchema('user');
const tag = 'Users';

export const userOperations = {
  'users.me': defineOperation({
    name: 'users.me',
    summary: 'Get the authenticated user',
    service: 'users',
    // Updates lastAccessedAt, but can be repeated safely.
    access: 'read',
    scope: 'user',
    mustBeNamed: true,
    tag,
    http: {
      method: 'GET',
      path: '/v1/users/me',
      status: 200,
      etag: { maintained: ['lastAccessedAt'] },
    },
    input: z.strictObject({}),
    output: one,
    faults: [],
  }),
  'users.list': defineOperation({
    name: 'users.list',
    summary: 'List users',
    service: 'users',
    access: 'read',
    scope: 'user',
    mustBeNamed: true,
    tag,
    http: { method: 'GET', path: '/v1/users', status: 200 },
    input: z.strictObject({ limit: limitInput('users'), after: afterInput }),
    output: z.object({ users: z.array(user), pagination: forwardPagination }),
    faults: [],
  }),
  'users.get': defineOperation({
    name: 'users.get',
    summary: 'Get a user',
    service: 'users',
    access: 'read',
    scope: 'user',
    mustBeNamed: true,
    resource: 'user',
    tag,
    http: {
      method: 'GET',
      path: '/v1/users/{userId}',
      status: 200,
      etag: { maintained: ['lastAccessedAt'] },
    },
    input: z.strictObject({ userId }),
    output: one,
    faults: ['not_found'],
  }),
  'users.create': defineOperation({
    name: 'users.create',
    summary: 'Create a user',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    mustBeNamed: true,
    tag,
    http: { method: 'POST', path: '/v1/users', status: 201 },
    input: z.strictObject({ email, name: userName }),
    output: one,
    faults: ['conflict'],
  }),
  'users.update-me': defineOperation({
    name: 'users.update-me',
    summary: 'Update the authenticated user',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    mustBeNamed: true,
    tag,
    http: { method: 'PUT', path: '/v1/users/me', status: 200 },
    input: z.strictObject({ name: userName.optional() }),
    output: one,
    faults: ['precondition_failed'],
  }),
  'users.delete': defineOperation({
    name: 'users.delete',
    summary: 'Delete a user with all of their API keys, which end within a second',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    // As for the deletion of a key.
    requiresKey: true,
    resource: 'user',
    tag,
    http: { method: 'DELETE', path: '/v1/users/{userId}', status: 200 },
    input: z.strictObject({ userId }),
    output: z.object({ deleted: z.literal(true) }),
    faults: ['not_found', 'conflict', 'precondition_failed'],
  }),
};
