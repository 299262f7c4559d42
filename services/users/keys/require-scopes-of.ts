import { Fault, type Caller, type Scope } from '@roster/contracts';

/** A secret must not grant more than the key that asks for it. @throws Fault `insufficient_scope` */
export function requireScopesOf({ scopes }: Caller, requested: readonly Scope[]): void {
  const missing = requested.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new Fault(
      'insufficient_scope',
      `The API key does not have the scope ${missing.join(', ')}, and cannot give it to another key.`,
    );
}
