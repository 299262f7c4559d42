import type { Misbehaviour } from './misbehaviour.js';
import { actions } from './misbehaviours/actions.js';
import { batches } from './misbehaviours/batches.js';
import { costlyDocuments } from './misbehaviours/costly-documents.js';
import { heldRowLock } from './misbehaviours/held-row-lock.js';
import { idleWebSockets } from './misbehaviours/idle-web-sockets.js';
import { largeContacts } from './misbehaviours/large-contacts.js';
import { newDocuments } from './misbehaviours/new-documents.js';
import { propertyNames } from './misbehaviours/property-names.js';
import { tenTimesTheLoad } from './misbehaviours/ten-times-the-load.js';
import { unreadAnswers } from './misbehaviours/unread-answers.js';
import { withheldBodies } from './misbehaviours/withheld-bodies.js';

/** Each is a case of the test and of `npm run bench -- neighbours`. A new one is a file and a line here. */
export const misbehaviours: readonly Misbehaviour[] = [
  withheldBodies,
  unreadAnswers,
  idleWebSockets,
  heldRowLock,
  propertyNames,
  batches,
  actions,
  largeContacts,
  costlyDocuments,
  newDocuments,
  tenTimesTheLoad,
];
