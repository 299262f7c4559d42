import type { Caller, Scope } from '@roster/contracts';
import { sign, verify, type KeyObject } from 'node:crypto';

/** An Ed25519 key (RFC 8032) with the ID that statements refer to it by. */
export interface NamedKey {
  /** Letters, digits, `-` and `_`. */
  id: string;
  key: KeyObject;
}

/** What the users service states about a caller whose API key it has verified. */
export interface Statement {
  caller: Caller;
  /** The process that signed it. Times are by its clock. */
  signer: string;
  /** In milliseconds since the epoch. */
  issuedAt: number;
  /** In milliseconds since the epoch. */
  expiresAt: number;
  /** The time of issue by the clock of the database, in browser tokens: a clock whose time every gateway receives. */
  databaseMs?: number;
}

/** The payload of a statement. Its keys are short, because statements are sent with every batch. */
interface Payload {
  w: string;
  u: string;
  k: string;
  s: Scope[];
  p: string;
  i: number;
  e: number;
  /** Of the database. */
  d?: number;
  /** A browser token: whether it is read-only, its operations, and its ID (until 0.4.0: absent from 0.2.0). */
  t?: [readOnly: boolean, operations: string[] | null, id?: string];
  /** In a browser token of a session: whether the sign-in is fresh. */
  f?: boolean;
}

/** The signature covers the prefix: a statement is not accepted as a browser token, and another signature of the key as neither. */
const prefixes = { caller: 'rcs_', token: 'rst_' };

/**
 * `rcs_<key id>.<payload>.<signature>`, payload and signature in base64url. The signature covers everything before it. A browser
 * token is the same with `rst_`.
 */
export function signStatement(
  { caller, signer, issuedAt, expiresAt, databaseMs }: Statement,
  { id, key }: NamedKey,
): string {
  const { workspaceId: w, userId: u, keyId: k, scopes: s, token, tokenId } = caller;
  const payload: Payload = { w, u, k, s, p: signer, i: issuedAt, e: expiresAt };
  if (databaseMs !== undefined) payload.d = databaseMs;
  if (token) payload.t = [token.readOnly, token.operations, tokenId ?? ''];
  if (token?.isFresh !== undefined) payload.f = token.isFresh;
  const signed = `${token ? prefixes.token : prefixes.caller}${id}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

/** The statement, or undefined if none of the keys has signed this text. Does not judge its expiry. Never throws. */
export function openStatement(text: string, keys: readonly NamedKey[]): Statement | undefined {
  const [head = '', body = '', signature = '', ...others] = text.split('.');
  const named = keys.find(
    ({ id }) => head === prefixes.caller + id || head === prefixes.token + id,
  );
  const bytes = Buffer.from(signature, 'base64url');
  // Base64 can be written in several ways. A statement has one text only.
  if (!named || others.length > 0 || bytes.toString('base64url') !== signature) return undefined;
  if (!verify(null, Buffer.from(`${head}.${body}`), named.key, bytes)) return undefined;
  const { w, u, k, s, p, i, e, d, t, f } = JSON.parse(
    Buffer.from(body, 'base64url').toString(),
  ) as Payload;
  const caller: Caller = { workspaceId: w, userId: u, keyId: k, scopes: s };
  if (t) {
    caller.token = { readOnly: t[0], operations: t[1], ...(f !== undefined && { isFresh: f }) };
    caller.tokenId = t[2] ?? '';
  }
  const statement: Statement = { caller, signer: p, issuedAt: i, expiresAt: e };
  if (d !== undefined) statement.databaseMs = d;
  return statement;
}
