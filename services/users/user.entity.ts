import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A member of a workspace. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    email: p.text(),
    /** See `emailKey`. */
    emailKey: p.text(),
    name: p.text(),
    createdAt: p.datetime(),
    lastAccessedAt: p.datetime(),
  },
});

export type User = InferEntity<typeof User>;

/** The form in which two addresses are the same: without regard to case. */
export const emailKey = (email: string): string => email.toLowerCase();
