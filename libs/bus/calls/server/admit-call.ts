import {
  Fault,
  fieldErrors,
  invalidFields,
  requirePermission,
  servedInput,
  type Caller,
  type Operation,
} from '@roster/contracts';
import type { CallerVerifier } from '../../proof/caller-verifier.js';
import type { Call } from '../frame/call.js';
import { unavailable } from '../frame/faults.js';
import { faultOf } from './isolate-failures.js';

/** In place of a caller whose claims are malformed or not proven. It has no workspace, and its calls are refused. */
const unproven: Caller = { workspaceId: '', userId: '', keyId: '', scopes: [] };

/**
 * The caller of calls of an operation: of the claims in a batch, only the statement of the users service is believed. Without a
 * verifier, all claims are believed. Internal operations give their caller no access that depends on its claims: which
 * programs may call them is determined by the permissions of NATS.
 */
export function provenCaller(
  { scope }: Operation,
  claims: unknown,
  verifier: CallerVerifier | undefined,
): Caller {
  if (!isCaller(claims)) return unproven;
  if (!verifier || !scope) return claims;
  return (claims.proof === undefined ? undefined : verifier.callerOf(claims.proof)) ?? unproven;
}

/**
 * Whether admission can read it. A batch is answered as a whole: an exception because of one malformed caller would leave all of
 * its calls without an answer.
 */
function isCaller(claims: unknown): claims is Caller {
  if (typeof claims !== 'object' || claims === null) return false;
  const { workspaceId, scopes, proof = '' } = claims as Record<string, unknown>;
  return typeof workspaceId === 'string' && Array.isArray(scopes) && typeof proof === 'string';
}

/**
 * The call with its input parsed by the contract, or the fault that refuses it. The gateway has done the same. It is repeated,
 * so that a process with the gateway's credentials cannot do more than the gateway.
 */
export function admitCall(operation: Operation, call: Call): Call | Fault {
  if (call.caller === unproven)
    return unavailable('the caller is malformed, or the statement about the caller is not valid');
  const refusal = operation.scope && refusalOf(operation, call.caller);
  if (refusal) return refusal;
  const { success, data, error } = servedInput(operation).safeParse(call.input);
  if (success) return { ...call, input: data };
  return invalidFields(fieldErrors(error.issues));
}

function refusalOf(operation: Operation, caller: Caller): Fault | undefined {
  try {
    requirePermission(caller, operation);
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}
