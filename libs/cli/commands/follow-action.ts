import { setTimeout as delay } from 'node:timers/promises';

import type { ContactAction } from '@roster/client';

import type { Context } from '../context.js';
import { CommandFailure, exitCodes, type ExitCode } from '../failure.js';
import { printable, type Output } from '../output.js';
import { bar } from './progress-bar.js';

const intervalMs = 500;

/** Shows the progress until the action has ended. */
export async function followAction(
  { roster, output, signal }: Context,
  started: ContactAction,
): Promise<ContactAction> {
  let action = started;
  const { id } = started;
  try {
    while (action.endedAt === null) {
      const { examined, total, changed, dryRun } = action;
      output.status(
        `${dryRun ? 'Counting' : 'Changing'}: ${bar(examined, Math.max(examined, total))} ${examined} of ${total} contacts examined, ${changed} ${dryRun ? 'to change' : 'changed'}`,
      );
      await delay(intervalMs, undefined, { signal });
      action = await roster.contactActions.get(id, { signal });
    }
    return action;
  } catch (error) {
    output.status(undefined);
    output.note(
      `${id} continues: go on with \`roster actions get ${id}\`, or end it with \`roster actions cancel ${id}\`.`,
    );
    signal.throwIfAborted();
    throw error;
  } finally {
    output.status(undefined);
  }
}

/** The exit code of an action that has ended. */
export function report(action: ContactAction, output: Output): ExitCode {
  const { id, status, failed, failures, reason } = action;
  if (status !== 'completed')
    throw new CommandFailure(
      `${id} is ${status}${reason === null ? '' : `: ${printable(reason)}`}`,
    );
  if (failed === 0) return exitCodes.ok;
  output.note(`${failed === 1 ? '1 contact was' : `${failed} contacts were`} refused:`);
  for (const { contactId, message } of failures) output.note(`${contactId}: ${printable(message)}`);
  return exitCodes.rowsRefused;
}
