import { z } from 'zod';
import { defineOperation } from '../../operation.js';
import { listableOrigin, originsMax } from '../../origin.js';

const tag = 'Origins';
const output = z.object({
  origins: z
    .array(z.string())
    .meta({ maxItems: originsMax, description: 'In alphabetical order.' }),
});

export const originOperations = {
  'workspaces.origins': defineOperation({
    name: 'workspaces.origins',
    summary: 'List the origins whose web pages may use the keys and tokens of the workspace',
    service: 'users',
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/origins', status: 200, etag: { maintained: [] } },
    input: z.strictObject({}),
    output,
    faults: [],
  }),
  'workspaces.set-origins': defineOperation({
    name: 'workspaces.set-origins',
    summary: 'Replace the origins of the workspace; takes effect within a second',
    service: 'users',
    access: 'write',
    scope: 'user',
    // A script in a page could otherwise allow the origin of another page.
    requiresKey: true,
    audited: true,
    tag,
    http: { method: 'PUT', path: '/v1/origins', status: 200 },
    input: z.strictObject({
      origins: z
        .array(listableOrigin)
        .max(originsMax)
        .meta({ description: 'All origins of the workspace. Duplicates are removed.' }),
    }),
    output,
    faults: ['precondition_failed'],
  }),
  'origins.check': defineOperation({
    name: 'origins.check',
    summary: 'Find out whether any workspace lists an origin: preflights carry no key',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ origin: listableOrigin }),
    output: z.object({ isListed: z.boolean() }),
    faults: [],
  }),
};
