import { Fault, type Caller, type Scope } from '@roster/contracts';

/** A new secret grants at most the scopes of the key that requests it. @throws Fault `insufficient_scope` */
export function requireScopesOf({ scopes }: Caller, requested: readonly Scope[]): void {
  const missing = requested.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new Fault(
      'insufficient_scope',
      `The API key does not have the scope ${missing.join(', ')}, and cannot give it to another key.`,
    );
}
