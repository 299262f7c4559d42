import {
  Fault,
  invalidFields,
  requirePermission,
  servedInput,
  type Caller,
  type Operation,
} from '@roster/contracts';
import type { CallerVerifier } from '../../proof/caller-verifier.js';
import type { Call } from '../frame/call.js';
import { unavailable } from '../frame/faults.js';

/** In place of a caller whose claims are not proven. It has no workspace, and its calls are refused. */
const unproven: Caller = { workspaceId: '', userId: '', keyId: '', scopes: [] };

/**
 * The caller of calls of an operation: of the claims in a batch, only the statement of the users service is believed. Without a
 * verifier, all claims are believed. Internal operations give their caller no access that depends on its claims: who may ask for
 * them is determined by the permissions of NATS.
 */
export function provenCaller(
  { scope }: Operation,
  claimed: Caller,
  verifier: CallerVerifier | undefined,
): Caller {
  if (!verifier || !scope) return claimed;
  return (claimed.proof === undefined ? undefined : verifier.callerOf(claimed.proof)) ?? unproven;
}

/**
 * The call with its input parsed by the contract, or the fault that refuses it. The gateway has done the same. It is repeated,
 * so that a process with the gateway's credentials cannot ask for more than the gateway.
 */
export function admitCall(operation: Operation, call: Call): Call | Fault {
  if (call.caller === unproven) return unavailable('the statement about the caller is not valid');
  const refusal = operation.scope && refusalOf(operation, call.caller);
  if (refusal) return refusal;
  const { success, data, error } = servedInput(operation).safeParse(call.input);
  if (success) return { ...call, input: data };
  return invalidFields(
    error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message })),
  );
}

function refusalOf(operation: Operation, caller: Caller): Fault | undefined {
  try {
    requirePermission(caller, operation);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
