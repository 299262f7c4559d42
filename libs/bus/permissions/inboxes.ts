import { programNames } from '@roster/contracts';
import type { NatsConnection } from 'nats';
import { NatsTrouble } from '../trouble.js';

const inboxes = '_INBOX.';

/** Prefix of the inboxes of a program. Only that program may subscribe to them. */
export const inboxesOf = (program: string): string => inboxes + program;

/** Prefix of the inboxes in which the operator receives answers to `$SRV` of all processes. They contain nothing that is believed. */
export const monitoringInboxes = `${inboxesOf('operator')}.srv`;

/** Of a subject. Answers are sent to inboxes only: otherwise a caller could have them published as events or broadcasts. */
export const isInbox = (subject: string): boolean => subject.startsWith(inboxes);

/**
 * Prefix of the subjects on which a service answers the calls of a program. Only that service may publish to them, so that no
 * program can answer for another one.
 */
export const answersFrom = (service: string, program: string): string =>
  `${inboxesOf(program)}.${service}`;

/**
 * Checks that the credential is that of the program: NATS allows the inboxes of a program to no other one.
 *
 * @param variable with the credential
 * @throws NatsTrouble that names the program whose credential it is
 */
export async function requireOwnInbox(
  nats: NatsConnection,
  program: string,
  variable: string,
): Promise<void> {
  if (await isOwnerOf(nats, program)) return;
  const owner = await ownerOf(nats);
  const seed = `set the credential of ${program}`;
  const trouble = {
    variable,
    what: `NATS at ${nats.getServer()} denies ${inboxesOf(program)}.> to this credential, which is that of ${owner ?? 'no program'}`,
    remedy: owner ? seed : `${seed}, or the permissions that roster nats permissions prints`,
  };
  throw new NatsTrouble(trouble, undefined);
}

async function ownerOf(nats: NatsConnection): Promise<string | undefined> {
  for (const program of programNames) if (await isOwnerOf(nats, program)) return program;
  return undefined;
}

async function isOwnerOf(nats: NatsConnection, program: string): Promise<boolean> {
  const subscription = nats.subscribe(`${inboxesOf(program)}.>`, { callback: () => {} });
  await nats.flush();
  // A denial precedes the answer to the flush, and closes the subscription.
  const isAllowed = !subscription.isClosed();
  subscription.unsubscribe();
  return isAllowed;
}
