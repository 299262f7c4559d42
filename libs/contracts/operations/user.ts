import { z } from 'zod';
import { idSchema } from '../ids.js';
import { defineOperation } from '../operation.js';
import { email, text, timestamp } from '../text.js';

export const user = z
  .object({
    id: idSchema('user'),
    email: z.string().meta({ format: 'email' }),
    name: z.string(),
    createdAt: timestamp,
    lastAccessedAt: timestamp,
  })
  .meta({ id: 'User' });

export const userName = text(1, 256);
const one = z.object({ user });

export const userOperations = {
  'users.me': defineOperation({
    name: 'users.me',
    summary: 'Get the authenticated user',
    service: 'users',
    // Updates lastAccessedAt, but can be repeated safely.
    access: 'read',
    scope: 'user',
    tag: 'Users',
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
  'users.create': defineOperation({
    name: 'users.create',
    summary: 'Create a user',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    tag: 'Users',
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
    tag: 'Users',
    http: { method: 'PUT', path: '/v1/users/me', status: 200 },
    input: z.strictObject({ name: userName.optional() }),
    output: one,
    faults: ['precondition_failed'],
  }),
};
