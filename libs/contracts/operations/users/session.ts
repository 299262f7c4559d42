import { secretLink } from './secret-link.js';
import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { anyScope, defineOperation } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { timestamp } from '../../text.js';
import { keyScopes, named } from './api-key.js';

/** Format of the secret of a link: `rsl_` and 192 random bits. */
export const sessionLinkShape = /^rsl_[0-9a-f]{48}$/;
/** Format of the secret of a session, which only its cookie contains. It is no bearer of the API. */
export const sessionSecretShape = /^rss_[0-9a-f]{48}$/;

/** What the browser keeps while its user signs in to the OpenID issuer: state, nonce and code verifier. */
export const signInAttemptShape = /^[\w-]{43}\.[\w-]{43}\.[\w-]{43}$/;
export const signInRefusals = ['expired', 'cancelled', 'refused', 'unverified', 'unknown'] as const;
export type SignInRefusal = (typeof signInRefusals)[number];

export const sessionLimits = {
  /** Duration of a session, unless its API key expires earlier. */
  seconds: 12 * 3600,
  /** How long after the sign-in operations are allowed that require a key. */
  freshSeconds: 600,
  /** Longest validity of its browser tokens. */
  tokenSeconds: 300,
  linkSeconds: 300,
  /** Maximum number of sessions of a key. A further one ends the oldest. */
  ofKey: 20,
  /** Maximum number of unused links of an API key. A further one ends the oldest. */
  linksOfKey: 10,
  /** Maximum number of links of one sign-in with OpenID Connect, each of another workspace. */
  linksOfSignIn: 10,
} as const;

/** Position of a session in the order of creation. */
export const sessionCursor = idCursor('session');

const session = z
  .object({
    id: idSchema('session'),
    user: named('user').meta({ description: 'The user who signed in.' }),
    keyId: idSchema('key').meta({
      description: 'The API key that it was opened with. The session ends with it.',
    }),
    createdAt: timestamp,
    expiresAt: timestamp,
    lastUsedAt: timestamp.meta({ description: 'Recorded every few minutes.' }),
    address: z.string().nullable().meta({ description: 'Address of that use.' }),
    userAgent: z.string().nullable().meta({ description: 'The browser that signed in.' }),
    isCurrent: z.boolean().meta({ description: 'Whether the request is sent from it.' }),
  })
  .meta({ id: 'Session' });

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ examples: ['0'.repeat(64)] });
const signInAttempt = z
  .string()
  .regex(signInAttemptShape)
  .meta({ examples: [`${'s'.repeat(43)}.${'n'.repeat(43)}.${'v'.repeat(43)}`] });
const one = z.object({ session });
const sessionId = idSchema('session');
const tag = 'Sessions';

/** What a browser learns of its session, with a browser token. */
const signedIn = z.object({
  token: z.string(),
  expiresAt: timestamp,
  session: z.object({ id: idSchema('session'), expiresAt: timestamp, freshUntil: timestamp }),
  workspace: named('workspace'),
  user: named('user').extend({ email: z.string() }),
  scopes: keyScopes,
});

/** Sessions of the console, in which people sign in with a browser. Secrets are given by their SHA-256. */
export const sessionOperations = {
  'session-links.create': defineOperation({
    name: 'session-links.create',
    summary: 'Create a link that opens a session of the console once',
    service: 'users',
    access: 'write',
    scope: anyScope,
    containsSecret: true,
    requiresKey: true,
    audited: true,
    tag,
    http: { method: 'POST', path: '/v1/session-links', status: 201 },
    input: z.strictObject({
      expiresInSeconds: z
        .int()
        .min(60)
        .max(sessionLimits.linkSeconds)
        .default(sessionLimits.linkSeconds),
    }),
    output: z.object({
      link: secretLink('console#link=rsl_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c').meta({
        id: 'SessionLink',
      }),
    }),
    faults: [],
  }),
  'sessions.list': defineOperation({
    name: 'sessions.list',
    summary: 'List the sessions of the console, oldest first',
    service: 'users',
    access: 'read',
    scope: 'user',
    mustBeNamed: true,
    tag,
    http: { method: 'GET', path: '/v1/sessions', status: 200 },
    input: z.strictObject({ limit: limitInput('sessions'), after: afterInput }),
    output: z.object({ sessions: z.array(session), pagination: forwardPagination }),
    faults: [],
  }),
  'sessions.get': defineOperation({
    name: 'sessions.get',
    summary: 'Get a session of the console',
    service: 'users',
    access: 'read',
    scope: 'user',
    mustBeNamed: true,
    resource: 'session',
    tag,
    http: {
      method: 'GET',
      path: '/v1/sessions/{sessionId}',
      status: 200,
      etag: { maintained: ['lastUsedAt', 'address', 'isCurrent'] },
    },
    input: z.strictObject({ sessionId }),
    output: one,
    faults: ['not_found'],
  }),
  'sessions.delete': defineOperation({
    name: 'sessions.delete',
    summary: 'End a session of the console; takes effect within a second',
    service: 'users',
    access: 'write',
    scope: 'user',
    requiresKey: true,
    audited: true,
    resource: 'session',
    tag,
    http: { method: 'DELETE', path: '/v1/sessions/{sessionId}', status: 200 },
    input: z.strictObject({ sessionId }),
    output: z.object({ deleted: z.literal(true) }),
    faults: ['not_found', 'precondition_failed'],
  }),
  'session-links.describe': defineOperation({
    name: 'session-links.describe',
    summary: 'Find out which workspace and user a link signs in to, without using it',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ link: sha256 }),
    output: z.object({
      workspace: named('workspace'),
      user: named('user'),
      expiresAt: timestamp,
    }),
    faults: ['unauthenticated'],
  }),
  'identity-sign-ins.describe': defineOperation({
    name: 'identity-sign-ins.describe',
    summary: 'Find out whether users can sign in with OpenID Connect, and where',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({}),
    output: z.object({
      /** Host of the issuer. Null if none is configured. */
      host: z.string().nullable(),
    }),
    faults: [],
  }),
  'identity-sign-ins.start': defineOperation({
    name: 'identity-sign-ins.start',
    summary: 'Make the address at which a user signs in to the OpenID issuer',
    service: 'users',
    callsIssuer: true,
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({}),
    output: z.object({
      url: z.string(),
      /** Where the issuer sends the browser afterwards. */
      redirectUri: z.string(),
      attempt: signInAttempt,
    }),
    faults: [],
  }),
  'identity-sign-ins.finish': defineOperation({
    name: 'identity-sign-ins.finish',
    summary: 'Make links for the API keys whose identity has signed in to the OpenID issuer',
    service: 'users',
    callsIssuer: true,
    access: 'write',
    calledBy: ['gateway'],
    containsSecret: true,
    input: z.strictObject({
      attempt: signInAttempt,
      /** What the issuer has added to the address, without the question mark. */
      query: z.string().max(8192),
    }),
    output: z.object({
      links: z.array(z.string()).max(sessionLimits.linksOfSignIn),
      /** Why there are no links. */
      refusal: z.enum(signInRefusals).nullable(),
    }),
    faults: [],
  }),
  'sessions.open': defineOperation({
    name: 'sessions.open',
    summary: 'Open a session with a link, which is used up, or with an API key',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    input: z.strictObject({
      by: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('link'), sha256 }),
        z.strictObject({ kind: z.literal('key'), sha256 }),
      ]),
      /** Of the secret that the gateway has made. */
      session: sha256,
      userAgent: z.string().max(256).optional(),
    }),
    output: signedIn,
    faults: ['unauthenticated', 'rate_limited'],
  }),
  'sessions.create-token': defineOperation({
    name: 'sessions.create-token',
    summary: 'Sign a browser token of a session, and record its use',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    input: z.strictObject({ session: sha256 }),
    output: signedIn,
    faults: ['unauthenticated'],
  }),
  'sessions.end': defineOperation({
    name: 'sessions.end',
    summary: 'End a session by its secret',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    input: z.strictObject({ session: sha256 }),
    output: z.object({ ended: z.literal(true) }),
    faults: ['unauthenticated'],
  }),
};
