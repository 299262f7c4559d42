import { z } from 'zod';
import { defineOperation } from '../../operation.js';
import { isHost } from '../../text.js';

/** Maximum number of origins of a workspace. */
export const originsMax = 50;
/** `https://`, the longest host name and a port. */
const originLengthMax = 267;

/** Whether a text is an origin as browsers send it (RFC 6454, 6.2): scheme, host, and port unless it is the default one. */
export function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return false;
  const parsed = URL.parse(text);
  return parsed?.origin === text && isHost(parsed);
}

const loopback = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Whether a workspace can list an origin: one with `https`, or of the machine of the browser. */
export const isListableOrigin = (text: string): boolean =>
  text.length <= originLengthMax &&
  isOrigin(text) &&
  (text.startsWith('https:') || loopback.test(text));

export const listableOrigin = z
  .string()
  .refine(isListableOrigin, {
    error:
      'must be an origin such as https://app.example.com, without a path or a final slash; http is allowed for loopback only',
  })
  .meta({ maxLength: originLengthMax, examples: ['https://app.example.com'] });

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
