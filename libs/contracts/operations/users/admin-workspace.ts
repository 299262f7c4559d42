import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, limitInput } from '../../page.js';
import { email, text, timestamp } from '../../text.js';
import { quotas, quotasInput } from './quota.js';
import { sha256 } from './session.js';
import { usageOutput, usagePeriod } from './usage.js';
import { userName, userOperations } from './user.js';

/** Format of an admin key: that of an API key, with another prefix. */
export const adminKeyShape = /^rak_[0-9A-Za-z]{36}$/;

export const workspaceStatuses = ['active', 'suspended', 'deleting'] as const;
export type WorkspaceStatus = (typeof workspaceStatuses)[number];

export const deletionPhases = ['webhooks', 'dispatcher', 'contacts', 'users', 'waiting'] as const;
export type DeletionPhase = (typeof deletionPhases)[number];

export const workspaceName = text(1, 128);
const externalId = text(1, 128);
const workspaceId = idSchema('workspace');

const workspace = z
  .object({
    id: workspaceId,
    name: z.string(),
    externalId: z.string().nullable().meta({
      description:
        'ID of the tenant in the system of the operator. No two workspaces have the same.',
    }),
    status: z.enum(workspaceStatuses),
    quotas,
    createdAt: timestamp,
    deletion: z
      .object({
        phase: z.enum(deletionPhases).meta({
          description:
            'The service that deletes its part; `waiting` for late writes, which another pass deletes.',
        }),
        deleted: z.int().meta({ description: 'Rows and messages deleted so far.' }),
        startedAt: timestamp,
      })
      .nullable()
      .meta({ description: 'How far the deletion is. A workspace that is deleted is not found.' }),
  })
  .meta({ id: 'Workspace' });
const one = z.object({ workspace });

/** The users service verifies the key too: the credentials of the gateway alone administer nothing. */
const adminKey = sha256.meta({ description: 'SHA-256 of the admin key of the request.' });
const path = '/v1/admin/workspaces';
const pathOfOne = `${path}/{workspaceId}` as const;

/**
 * Operations with which the operator administers workspaces over HTTP. Their keys are those of `ADMIN_KEY_HASHES`, and belong to no
 * workspace.
 */
export const adminWorkspaceOperations = {
  'admin-keys.verify': defineOperation({
    name: 'admin-keys.verify',
    summary: 'Find out whether an admin key is valid, and whether any is',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ adminKey }),
    output: z.object({ state: z.enum(['off', 'invalid', 'valid']) }),
    faults: [],
  }),
  'admin-workspaces.create': defineOperation({
    name: 'admin-workspaces.create',
    summary: 'Create a workspace with an owner and an API key that holds both scopes',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    containsSecret: true,
    admin: { method: 'POST', path, status: 201 },
    input: z.strictObject({
      adminKey,
      name: workspaceName,
      externalId: externalId.optional().meta({
        description:
          'With it, a repeated request creates no second workspace: it is answered `conflict` with the ID of the first.',
      }),
      ownerEmail: email,
      ownerName: userName,
      quotas: quotasInput.optional(),
    }),
    output: z.object({
      workspace,
      owner: z.object({ id: idSchema('user'), email: z.string(), name: z.string() }),
      apiKey: z.object({
        id: idSchema('key'),
        secret: z.string().meta({ description: 'Returned only once.' }),
      }),
    }),
    faults: ['unauthenticated', 'conflict'],
  }),
  'admin-workspaces.list': defineOperation({
    name: 'admin-workspaces.list',
    summary: 'List or find workspaces, oldest first',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    admin: { method: 'GET', path, status: 200 },
    input: z.strictObject({
      adminKey,
      limit: limitInput('workspaces'),
      after: afterInput,
      name: workspaceName.optional().meta({
        description: 'Only workspaces whose name contains this text, ignoring case.',
      }),
      externalId: externalId.optional().meta({ description: 'Only the workspace with this ID.' }),
      status: z
        .enum(workspaceStatuses)
        .optional()
        .meta({ description: 'Only workspaces with this status.' }),
    }),
    output: z.object({ workspaces: z.array(workspace), pagination: forwardPagination }),
    faults: ['unauthenticated'],
  }),
  'admin-workspaces.get': defineOperation({
    name: 'admin-workspaces.get',
    summary: 'Get a workspace',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    admin: { method: 'GET', path: pathOfOne, status: 200 },
    input: z.strictObject({ adminKey, workspaceId }),
    output: one,
    faults: ['unauthenticated', 'not_found'],
  }),
  'admin-workspaces.update': defineOperation({
    name: 'admin-workspaces.update',
    summary: 'Rename a workspace, or change its external ID or its quotas',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    admin: { method: 'PUT', path: pathOfOne, status: 200 },
    input: z.strictObject({
      adminKey,
      workspaceId,
      name: workspaceName.optional(),
      externalId: externalId.nullable().optional().meta({ description: '`null` removes it.' }),
      quotas: quotasInput.optional(),
    }),
    output: one,
    faults: ['unauthenticated', 'not_found', 'conflict'],
  }),
  'admin-workspaces.suspend': defineOperation({
    name: 'admin-workspaces.suspend',
    summary: 'Suspend a workspace: its requests are refused, its deliveries wait',
    service: 'users',
    access: 'write',
    callsServices: ['webhooks'],
    calledBy: ['gateway'],
    admin: { method: 'POST', path: `${pathOfOne}/suspend`, status: 200 },
    input: z.strictObject({ adminKey, workspaceId }),
    output: one,
    faults: ['unauthenticated', 'not_found', 'conflict'],
  }),
  'admin-workspaces.resume': defineOperation({
    name: 'admin-workspaces.resume',
    summary: 'Resume a suspended workspace, and send the deliveries that waited',
    service: 'users',
    access: 'write',
    callsServices: ['webhooks'],
    calledBy: ['gateway'],
    admin: { method: 'POST', path: `${pathOfOne}/resume`, status: 200 },
    input: z.strictObject({ adminKey, workspaceId }),
    output: one,
    faults: ['unauthenticated', 'not_found', 'conflict'],
  }),
  'admin-workspaces.delete': defineOperation({
    name: 'admin-workspaces.delete',
    summary: 'Delete a workspace and everything that is stored of it, in steps',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    admin: { method: 'DELETE', path: pathOfOne, status: 202 },
    input: z.strictObject({ adminKey, workspaceId }),
    output: one,
    faults: ['unauthenticated', 'not_found'],
  }),
  'admin-workspaces.users': defineOperation({
    name: 'admin-workspaces.users',
    summary: 'List the users of a workspace, oldest first',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    admin: { method: 'GET', path: `${pathOfOne}/users`, status: 200 },
    input: z.strictObject({
      adminKey,
      workspaceId,
      limit: limitInput('users'),
      after: afterInput,
    }),
    output: userOperations['users.list'].output,
    faults: ['unauthenticated', 'not_found'],
  }),
  'admin-workspaces.usage': defineOperation({
    name: 'admin-workspaces.usage',
    summary: 'Get the usage of a workspace by day',
    service: 'users',
    access: 'read',
    callsServices: ['contacts', 'dispatcher'],
    calledBy: ['gateway'],
    admin: { method: 'GET', path: `${pathOfOne}/usage`, status: 200 },
    input: z.strictObject({ adminKey, workspaceId, ...usagePeriod }),
    output: usageOutput,
    faults: ['unauthenticated', 'not_found'],
  }),
};
