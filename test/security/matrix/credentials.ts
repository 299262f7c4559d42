import { signStatement, steadyNow, type NamedKey } from '@roster/bus';
import {
  checksumOf,
  requiresNaming,
  scopes,
  scopesOf,
  type Caller,
  type Operation,
  type Scope,
} from '@roster/contracts';
import { signingKey } from '@roster/process';
import { eventually } from '@roster/testing';
import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '../../system/client.js';
import type { RunningRoster } from '../../system/running-roster.js';

type Denial = 'unauthenticated' | 'insufficient_scope';

/** Something that a client sends as its key, and what it allows. */
export interface Credential {
  /** Undefined sends no header. */
  secret: string | undefined;
  /** Null if it allows nothing. */
  scopes: readonly Scope[] | null;
  /** Limits of a browser token. */
  token?: { readOnly: boolean; operations: readonly string[] | null };
}

/** Why an operation must be refused to a credential of its own workspace; undefined if it must not. */
export function denialOf(
  operation: Operation,
  { scopes: held, token }: Credential,
): Denial | undefined {
  const { name, access, requiresKey, partOf = [] } = operation;
  if (held === null) return 'unauthenticated';
  const isAllowed =
    scopesOf(operation).every((scope) => held.includes(scope)) &&
    !(token && requiresKey) &&
    !(token?.readOnly && access === 'write') &&
    (token?.operations?.some((listed) => listed === name || partOf.includes(listed)) ??
      !(token && requiresNaming(operation)));
  return isAllowed ? undefined : 'insufficient_scope';
}

interface NewKey {
  apiKey: { id: string };
  secret: string;
}

/** Credentials of one workspace in every state, by what they are. */
export async function credentialsOf(roster: RunningRoster): Promise<Record<string, Credential>> {
  const owner = new Client(roster);
  const makeKey = async (held: readonly Scope[], expiresAt?: string) =>
    (await owner.post<NewKey>('/v1/api-keys', { name: 'Key', scopes: held, expiresAt })).body;
  const makeToken = async ({ secret }: NewKey, limits: object = {}) => {
    const client = new Client({ baseUrl: roster.baseUrl, apiKey: secret });
    return (await client.post<{ token: { secret: string } }>('/v1/tokens', limits)).body.token
      .secret;
  };
  const key = await makeKey(scopes);
  const expired = await makeKey(scopes, new Date(Date.now() + 2000).toISOString());
  const revoked = await makeKey(scopes);
  const ofRevoked = await makeToken(revoked);
  await owner.delete(`/v1/api-keys/${revoked.apiKey.id}`);
  const { workspaceId, userId } = roster;
  const caller = { workspaceId, userId, keyId: key.apiKey.id, scopes: [...scopes] };
  const signing = signingKey.parse(
    (await readFile(join(roster.home, 'caller-key'), 'utf8')).trim(),
  );
  const foreign = { ...signing, key: generateKeyPairSync('ed25519').privateKey };
  const unlimited = { readOnly: false, operations: null };
  const readOnly = { readOnly: true, operations: null };
  const limited = { readOnly: false, operations: ['contacts.get'] };
  const naming = { readOnly: true, operations: ['webhooks.get', 'webhooks.update', 'users.list'] };
  const refused = (secret?: string): Credential => ({ secret, scopes: null });
  const held = (secret: string, of: readonly Scope[] = scopes): Credential => ({
    secret,
    scopes: of,
  });
  const token = async (
    limits: typeof readOnly | typeof limited | typeof unlimited | typeof naming,
    body: object,
  ) => ({
    ...held(await makeToken(key, body)),
    token: limits,
  });
  const credentials: Record<string, Credential> = {
    'no key': refused(),
    'a malformed key': refused('rsk_short'),
    'an unknown key': refused(`rsk_${'0'.repeat(30)}${checksumOf('0'.repeat(30))}`),
    'an expired key': refused(expired.secret),
    'a revoked key': refused(revoked.secret),
    'a token of a revoked key': refused(ofRevoked),
    'an expired token': refused(signed(caller, signing, 30)),
    'a token that another key has signed': refused(signed(caller, foreign, 0)),
    'a key with both scopes': held(key.secret),
    'a token of it': await token(unlimited, {}),
    'a token that only reads': await token(readOnly, { readOnly: true }),
    'a token for one operation': await token(limited, { operations: limited.operations }),
    'a token that only reads, and names operations': await token(naming, naming),
  };
  for (const scope of scopes) {
    const narrow = await makeKey([scope]);
    credentials[`a key with the scope ${scope}`] = held(narrow.secret, [scope]);
    credentials[`a token of a key with the scope ${scope}`] = {
      ...held(await makeToken(narrow), [scope]),
      token: unlimited,
    };
    credentials[`a token with the scope ${scope}`] = {
      ...held(await makeToken(key, { scopes: [scope] }), [scope]),
      token: unlimited,
    };
  }
  await untilRefused(roster, [expired.secret, revoked.secret, ofRevoked]);
  return credentials;
}

/** A token that was valid for a quarter of an hour, and was made some minutes ago. */
function signed(caller: Caller, key: NamedKey, minutesAgo: number): string {
  const agoMs = minutesAgo * 60_000;
  const issuedAt = steadyNow() - agoMs;
  return signStatement(
    {
      caller: { ...caller, token: { readOnly: false, operations: null } },
      signer: 'a process that no longer runs',
      issuedAt,
      expiresAt: issuedAt + 900_000,
      databaseMs: Date.now() - agoMs,
    },
    key,
  );
}

async function untilRefused({ baseUrl }: RunningRoster, secrets: readonly string[]): Promise<void> {
  for (const apiKey of secrets)
    await eventually(
      async () => (await new Client({ baseUrl, apiKey }).get('/v1/users/me')).status === 401,
    );
}
