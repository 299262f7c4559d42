const inboxes = '_INBOX.';

/** Prefix of the inboxes of a program. Only that program may subscribe to them. */
export const inboxesOf = (program: string): string => inboxes + program;

/** Of a subject. Answers are sent to inboxes only: otherwise a caller could have them published as events or broadcasts. */
export const isInbox = (subject: string): boolean => subject.startsWith(inboxes);

/**
 * Prefix of the subjects on which a service answers the calls of a program. Only that service may publish to them, so that no
 * program can answer for another one.
 */
export const answersFrom = (service: string, program: string): string =>
  `${inboxesOf(program)}.${service}`;
