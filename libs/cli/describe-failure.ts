import { RosterError } from '@roster/client';

import { CommandFailure, exitCodes, Interrupted, UsageError, type ExitCode } from './failure.js';
import { printable } from './output.js';

/** Exit codes of faults; others have 1. */
const exitCodeOf: Readonly<Record<string, ExitCode>> = {
  unreachable: exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  unavailable: exitCodes.unreachable,
  unauthenticated: exitCodes.access,
  insufficient_scope: exitCodes.access,
  workspace_suspended: exitCodes.access,
  not_found: exitCodes.notFound,
  conflict: exitCodes.conflict,
  limit_reached: exitCodes.conflict,
  quota_exceeded: exitCodes.conflict,
  rate_limited: exitCodes.conflict,
  daily_quota_exceeded: exitCodes.conflict,
  idempotency_key_in_use: exitCodes.conflict,
  precondition_failed: exitCodes.conflict,
};

/** What to do about faults whose message does not say it. */
const remedies: Readonly<Record<string, string>> = {
  unreachable: 'Check the address, and `roster doctor`.',
  timeout:
    'Repeat the command later. Whether a change was made is not known: look before you repeat it.',
  unavailable: 'Repeat the command later.',
  unauthenticated: 'Run `roster login` with a valid key, or check ROSTER_API_KEY.',
  insufficient_scope: 'Use a key with this scope: `roster whoami` lists those of the present one.',
  not_found: 'IDs of other workspaces are not found either: check `roster whoami`.',
  internal: 'Report the request ID to the operator of Roster.',
};

/** What is printed of an error, and the exit code. Text of the server is made safe for a terminal. */
export function describeFailure(error: unknown): { text: string; exitCode: ExitCode } {
  if (error instanceof UsageError) return { text: error.message, exitCode: exitCodes.usage };
  if (error instanceof CommandFailure) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof Interrupted) return { text: 'Interrupted.', exitCode: error.exitCode };
  if (error instanceof RosterError) return describeFault(error);
  return { text: printable((error as Error).message || String(error)), exitCode: exitCodes.fault };
}

function describeFault(fault: RosterError): { text: string; exitCode: ExitCode } {
  const { code, detail, errors, requestId, retryAfterSeconds, existingId } = fault;
  const remedy =
    retryAfterSeconds === undefined
      ? remedies[code]
      : `Repeat the command in ${retryAfterSeconds} s.`;
  const lines = [
    `${printable(code)}: ${printable(detail)}`,
    // The detail of a single invalid field is its error.
    ...errors
      .map(({ pointer, message }) => `${pointer} ${message}`)
      .filter((text) => !detail.includes(text))
      .map((text) => `  ${printable(text)}`),
    ...(existingId === undefined ? [] : [`  Existing: ${printable(existingId)}`]),
    ...(remedy === undefined ? [] : [remedy]),
    ...(requestId === '' ? [] : [`Request ID: ${printable(requestId)}`]),
  ];
  return { text: lines.join('\n'), exitCode: exitCodeOf[code] ?? exitCodes.fault };
}
