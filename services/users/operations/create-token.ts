import type { CallerSigner, Handler } from '@roster/bus';
import {
  Fault,
  invalidFields,
  operations,
  subscriptionNames,
  workspaceSuspended,
  type Caller,
  type InputOf,
  type Operation,
  type OperationName,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { auditLog, type UsersService } from '../service.js';
import { keyEnded } from '../keys/caller-key.js';
import { requireSigner } from '../sessions/sign-in.js';
import { keyStates, type KeyState } from '../keys/key-states.js';

type CreateToken = Operations['tokens.create'];

/**
 * Signs browser tokens, and records them in the audit log before it returns them. Tokens are not stored: a repeated call makes
 * another one.
 */
export const createToken =
  ({ database, signer }: UsersService): Handler<CreateToken> =>
  async (calls) => {
    const trusted = requireSigner(signer);
    const { states, databaseMs } = await keyStates(
      database,
      calls.map(({ caller }) => caller),
    );
    const answers = calls.map(({ input, caller }, at) => {
      const key = states[at];
      return (
        refusalOf(input, caller, key) ?? tokenOf(trusted, input, caller, { ...key!, databaseMs })
      );
    });
    const made = calls.map((call, at) => {
      const answer = answers[at]!;
      if (answer instanceof Fault) return undefined;
      return [call, tokenCreated(call.caller, answer)] as const;
    });
    const refusals = await auditLog.recordAll(database, made);
    return answers.map((answer, at) => refusals[at] ?? answer);
  };

/** A token never allows more than its key. */
function refusalOf(
  { scopes = [], operations: names = [] }: InputOf<CreateToken>,
  caller: Caller,
  key: KeyState | undefined,
): Fault | undefined {
  if (key?.isValid !== true) return keyEnded();
  if (key.isSuspended) return workspaceSuspended();
  const errors = [
    ...scopes.flatMap((scope, at) =>
      caller.scopes.includes(scope)
        ? []
        : [{ pointer: `/scopes/${at}`, message: 'must be a scope of the API key' }],
    ),
    ...names.flatMap((name, at) =>
      isAllowed(name)
        ? []
        : [
            {
              pointer: `/operations/${at}`,
              message: 'must be the name of an operation that tokens can call, events or activity',
            },
          ],
    ),
  ];
  return errors.length > 0 ? invalidFields(errors) : undefined;
}

function isAllowed(name: string): boolean {
  if (subscriptionNames.some((one) => one === name)) return true;
  if (!Object.hasOwn(operations, name)) return false;
  const { scope, requiresKey }: Operation = operations[name as OperationName];
  return scope !== undefined && requiresKey !== true;
}

function tokenOf(
  signer: CallerSigner,
  { scopes, readOnly, operations: names, expiresInSeconds }: InputOf<CreateToken>,
  caller: Caller,
  { expiresAt: keyExpiresAt, databaseMs }: KeyState & { databaseMs: number },
): OutputOf<CreateToken> {
  const limits = { readOnly, operations: names ?? null };
  const held = { ...caller, scopes: [...new Set(scopes ?? caller.scopes)] };
  const leftSeconds = keyExpiresAt === null ? Infinity : (keyExpiresAt - Date.now()) / 1000;
  const validSeconds = Math.min(expiresInSeconds, leftSeconds);
  const { text, expiresAt } = signer.signToken(
    { ...held, token: limits },
    validSeconds,
    databaseMs,
  );
  return {
    token: {
      secret: text,
      expiresAt: new Date(expiresAt).toISOString(),
      scopes: held.scopes,
      ...limits,
    },
  };
}

/** The entry of the audit log: which key made a token, and what the token allows. */
function tokenCreated({ keyId }: Caller, { token }: OutputOf<CreateToken>) {
  const { secret: _, ...after } = token;
  return { action: 'token.created' as const, resourceId: keyId, after };
}
