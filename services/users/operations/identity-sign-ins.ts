import type { Handler } from '@roster/bus';
import {
  Fault,
  faultMessages,
  sessionLimits,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { Identity } from '../sessions/identity-provider.js';
import type { UsersService } from '../service.js';
import { makeLink } from '../sessions/make-link.js';
import { signInEmailKey } from '../sessions/sign-in-email.js';

type Finish = Operations['identity-sign-ins.finish'];

export const describeIdentitySignIn =
  ({ identityProvider }: UsersService): Handler<Operations['identity-sign-ins.describe']> =>
  async (calls) =>
    calls.map(() => ({ host: identityProvider?.host ?? null }));

export const startIdentitySignIn =
  ({ identityProvider }: UsersService): Handler<Operations['identity-sign-ins.start']> =>
  (calls) =>
    Promise.all(calls.map(() => orFault(() => configured(identityProvider).start())));

/** No connection to PostgreSQL is held while the issuer is asked. */
export const finishIdentitySignIn =
  (service: UsersService): Handler<Finish> =>
  (calls) =>
    Promise.all(
      calls.map((call) =>
        orFault(async (): Promise<OutputOf<Finish>> => {
          const { query, attempt } = call.input;
          const identity = await configured(service.identityProvider).finish(query, attempt);
          if (typeof identity === 'string') return { links: [], refusal: identity };
          const links = await linksOf(service, identity);
          if (links.length > 0) return { links, refusal: null };
          return { links, refusal: identity.email === undefined ? 'unverified' : 'unknown' };
        }),
      ),
    );

async function orFault<T>(answer: () => Promise<T>): Promise<T | Fault> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function configured(provider: UsersService['identityProvider']) {
  if (provider) return provider;
  throw new Fault('unavailable', faultMessages.unavailable, { reason: 'OIDC_ISSUER is not set' });
}

interface KeyRow {
  workspace_id: string;
  id: string;
  is_first: boolean;
}

/**
 * A link for each key that the identity may sign in as. The first one with the verified email of a key is the only one from then on:
 * an address can be given to somebody else.
 */
const linksOf = (
  { database, ids }: UsersService,
  { issuer, subject, email }: Identity,
): Promise<string[]> =>
  database.transaction(async (session) => {
    const keys = await session.query<KeyRow>(find, [
      ...[issuer, subject, email === undefined ? null : signInEmailKey(email)],
      sessionLimits.linksOfSignIn,
    ]);
    const links: string[] = [];
    for (const { workspace_id: workspaceId, id: keyId, is_first } of keys) {
      if (is_first) await session.query(bind, [workspaceId, keyId, issuer, subject]);
      const { linkSeconds: seconds } = sessionLimits;
      const link = { workspaceId, keyId, seconds, byIdentity: true };
      // Recorded when it is opened: a workspace that has named an address learns nothing of who does not.
      const { secret } = await makeLink(session, ids, link);
      links.push(secret);
    }
    return links;
  });

/** Of all workspaces, because an identity belongs to none. In the order of the keys, so that two sign-ins cannot deadlock. */
const find: Statement = {
  name: 'identity-sign-ins.keys',
  text: `
    select workspace_id, id, sign_in_subject is null as is_first
    from users.api_keys
    where ((sign_in_subject = $2 and sign_in_issuer = $1) or (sign_in_email_key = $3 and sign_in_subject is null))
      and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    order by workspace_id, id limit $4
    for no key update`,
};

const bind: Statement = {
  name: 'identity-sign-ins.bind',
  text: `
    update users.api_keys set sign_in_issuer = $3, sign_in_subject = $4
    where workspace_id = $1 and id = $2`,
};
