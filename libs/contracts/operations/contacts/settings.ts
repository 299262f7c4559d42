import { z } from 'zod';
import { defineOperation } from '../../operation.js';

const tag = 'Settings';
const strictProperties = z.boolean().meta({
  description:
    'Whether contacts with a property name that has no definition are rejected. Otherwise the name is defined.',
});
const output = z.object({ settings: z.object({ strictProperties }).meta({ id: 'Settings' }) });

export const settingsOperations = {
  'settings.get': defineOperation({
    name: 'settings.get',
    summary: 'Get the settings of the workspace',
    service: 'contacts',
    access: 'read',
    scope: 'user',
    tag,
    http: { method: 'GET', path: '/v1/settings', status: 200, etag: { maintained: [] } },
    input: z.strictObject({}),
    output,
    faults: [],
  }),
  'settings.update': defineOperation({
    name: 'settings.update',
    summary: 'Update the settings of the workspace; contacts written after the response obey them',
    service: 'contacts',
    access: 'write',
    scope: 'user',
    audited: true,
    tag,
    http: { method: 'PUT', path: '/v1/settings', status: 200 },
    input: z.strictObject({ strictProperties: strictProperties.optional() }),
    output,
    faults: ['precondition_failed'],
  }),
};
