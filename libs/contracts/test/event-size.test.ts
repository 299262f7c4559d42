import test from 'ava';
import {
  contactActionLimits,
  encodeId,
  eventDetailsBytesMax,
  eventMessageBytesMax,
  operations,
  type EventKind,
} from '../index.js';

const uuid = '01935a2e-7b00-7000-8000-000000000000';
const createdAt = new Date(0).toISOString();
/** Each of these characters has six bytes in JSON. */
const longText = (characters: number) => '\u0001'.repeat(characters);
const email = `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}com`;

test('the largest event has less than half of the size that the stream accepts', (t) => {
  const [contactName, userName, workspaceName] = [longText(256), longText(256), longText(128)];
  const { input: contactInput } = operations['contacts.create'];
  t.true(contactInput.safeParse({ email, name: contactName }).success);
  t.false(contactInput.safeParse({ email, name: `${contactName}.` }).success);
  const { input: userInput } = operations['users.create'];
  t.true(userInput.safeParse({ email, name: userName }).success);
  t.false(userInput.safeParse({ email, name: `${userName}.` }).success);
  const workspace = { ownerEmail: email, ownerName: userName };
  const { input: workspaceInput } = operations['workspaces.create'];
  t.true(workspaceInput.safeParse({ ...workspace, name: workspaceName }).success);
  t.false(workspaceInput.safeParse({ ...workspace, name: `${workspaceName}.` }).success);

  const bodyOf = (event: EventKind, data: object) =>
    Buffer.byteLength(JSON.stringify({ event, created_at: createdAt, data }));
  const contact = { id: encodeId('contact', uuid), email, name: contactName, createdAt };
  const joined = {
    workspace: { id: encodeId('workspace', uuid), name: workspaceName },
    user: { id: encodeId('user', uuid), email, name: userName },
  };
  const imported = {
    reason: longText(1000),
    fileName: longText(255),
    id: encodeId('import', uuid),
    createdAt,
  };
  const headers = 200;
  const withDetails = headers + eventDetailsBytesMax;
  t.true(withDetails + bodyOf('CONTACT_UNSUBSCRIBED', { contact }) < eventMessageBytesMax / 2);
  t.true(withDetails + bodyOf('WORKSPACE_TEAM_MEMBER_JOINED', joined) < eventMessageBytesMax / 2);
  // It has no details. Its other fields are numbers and names.
  const others = 1000;
  t.true(headers + others + bodyOf('IMPORT_ENDED', { imported }) < eventMessageBytesMax / 2);
  const { filterBytes, changeBytes, failures } = contactActionLimits;
  const failure = { contactId: encodeId('contact', uuid), message: longText(150) };
  const action = {
    id: encodeId('contactAction', uuid),
    ...{ filter: 'f'.repeat(filterBytes), change: 'c'.repeat(changeBytes) },
    failures: Array.from({ length: failures }, () => failure),
    ...{ createdAt, endedAt: createdAt },
  };
  // Either it is the reason why it failed, or an error in the filter, which names a property.
  const reason = longText(250);
  const ofAction = bodyOf('ACTION_ENDED', { action: { ...action, reason } });
  t.true(headers + others + ofAction < eventMessageBytesMax / 2);
});
