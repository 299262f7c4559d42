import { Fault } from './fault.js';
import { scopesOf, type Caller, type Operation, type RequiredScope } from './operation.js';

/** The API key does not hold the scope that the operation requires, or the browser token does not allow the operation. */
export class InsufficientScope extends Fault {
  readonly scope: RequiredScope;

  constructor(scope: RequiredScope, message = `The API key does not have the scope ${scope}.`) {
    super('insufficient_scope', message);
    this.scope = scope;
  }
}

/**
 * Whether a caller may call an operation: by the scopes of its API key and the limits of its browser token.
 *
 * @throws InsufficientScope; TypeError for an operation that only processes of this system may call
 */
export function requirePermission({ scopes, token }: Caller, operation: Permitted): void {
  const { name, access, scope, requiresKey = false, partOf = [] } = operation;
  if (!scope) throw new TypeError(`${name} is internal and cannot be called by API keys`);
  const missing = scopesOf(operation).find((required) => !scopes.includes(required));
  if (missing)
    throw token
      ? new InsufficientScope(missing, `The browser token does not have the scope ${missing}.`)
      : new InsufficientScope(missing);
  if (scopes.length === 0) throw new InsufficientScope(scope, 'The API key has no scope.');
  if (!token) return;
  const { readOnly, operations, isFresh } = token;
  if (isFresh !== undefined) {
    if (isFresh || !requiresKey) return;
    const message = `${name} requires a sign-in within the last ten minutes: sign in again.`;
    throw new InsufficientScope(scope, message);
  }
  const isListed = operations?.some((listed) => listed === name || partOf.includes(listed));
  if (requiresKey || (readOnly && access === 'write') || isListed === false)
    throw new InsufficientScope(scope, `The browser token does not allow ${name}.`);
  if (isListed === undefined && requiresNaming(operation))
    throw new InsufficientScope(scope, `The browser token must name ${name} in its operations.`);
}

/** Whether browser tokens must name an operation: without `operations`, a token does not allow it. */
export const requiresNaming = (
  operation: Pick<Operation, 'containsSecret' | 'mustBeNamed'>,
): boolean => operation.containsSecret === true || operation.mustBeNamed === true;

/** Subscriptions of GraphQL, which browser tokens name beside operations. */
export const subscriptionNames = ['events', 'activity'] as const;

type Permitted = Pick<
  Operation,
  | 'name'
  | 'access'
  | 'scope'
  | 'alsoScope'
  | 'requiresKey'
  | 'partOf'
  | 'containsSecret'
  | 'mustBeNamed'
>;
