import {
  batchOperationsMax,
  originsMax,
  suppressionEmailsMax,
  tagCursor,
  type OperationName,
} from '@roster/contracts';
import type { ConnectionDetails } from './connection.js';
import type { Descriptions } from './fields-of.js';

/** What GraphQL says of a mutation in addition to its contract, or instead of it. */
export interface MutationDetails {
  description?: string;
  /** Description of the type of the input. */
  ofInput?: string;
  /** Descriptions of the fields of the input. */
  input?: Descriptions;
  /** Descriptions of the fields of the result. */
  payload?: Descriptions;
  /** Field of the input that is a filter of contacts. */
  contactFilter?: string;
  /** Names of types for objects of the input, which have none in the contract. */
  inputTypes?: Record<string, string>;
  /** Maximum number of entries of lists of the result. */
  entriesMax?: Record<string, number>;
}

const notSubscribedAgain =
  'SUBSCRIBED leaves an unsubscribed contact as it is, with a notice: `resubscribeContact` changes it.';
const statusOfUpsert = `Status of a new contact. UNSUBSCRIBED unsubscribes an existing one. ${notSubscribedAgain}`;

/** A mutation without a row follows from its contract alone. */
export const mutationDetails: { [Name in OperationName]?: MutationDetails } = {
  'contacts.create': {
    input: {
      email: 'Stored as given. Unique within the workspace, ignoring case.',
      name: 'At most 256 characters.',
      tags: 'At most 100 tags of 1 to 64 characters. Duplicates are removed.',
      properties:
        'At most 100 values of the types of their contact properties. A name that has none gets one of the type STRING.',
      status: 'SUBSCRIBED by default.',
    },
  },
  'contacts.upsert': {
    description:
      'Creates or updates the contact with the external ID, or else with the email address. Requires both scopes.',
    ofInput:
      'Omitted fields of an existing contact are left unchanged. A new contact has their default values.',
    input: {
      tags: 'Replaces all tags.',
      properties: 'Merged into the existing properties. A null value removes the property.',
      id: 'Must be the stored value of an existing contact.',
      createdAt: 'Must be the stored value of an existing contact.',
      status: statusOfUpsert,
    },
    payload: { created: 'Whether the contact was created, not updated.' },
  },
  'contacts.update': {
    input: {
      tags: 'Replaces all tags.',
      properties: 'Merged into the existing properties. A null value removes the property.',
      status: `UNSUBSCRIBED unsubscribes the contact. ${notSubscribedAgain}`,
    },
  },
  'contacts.batch': {
    description:
      'Creates, updates and deletes several contacts, as many as the limits of variables allow. Requires both scopes. Counts in rate limits as a request for every 10 operations.',
    input: {
      operations:
        'At most 1,000 operations, as in REST: `{action: "create", email: …}`, `{action: "upsert", email: …}`, `{action: "update", id: …}` or `{action: "delete", id: …}`, each with the fields of such a request. Applied as if one after another.',
    },
    payload: {
      results:
        'The result of each operation, in their order, as in REST: its `status`, and `id` or `problem`, and `notices` of what was not applied as requested.',
    },
    entriesMax: { results: batchOperationsMax },
  },
  'contact-actions.create': {
    description:
      'Changes or deletes all contacts that match a filter, as a job. Requires both scopes.',
    input: {
      filter: 'Which contacts: `{}` means all.',
      contactIds: 'Only these contacts, if they match: at most 1,000. Unknown IDs are ignored.',
    },
    contactFilter: 'filter',
    inputTypes: { filter: 'ContactFilter', change: 'ContactChange' },
  },
  'contact-actions.cancel': {
    description: 'Cancels an action on contacts. Changes already made are kept.',
  },
  'tags.rename': {
    description:
      'Renames a tag of all contacts, or merges it into another, as an action on contacts. Requires both scopes.',
  },
  'tags.delete': {
    description: 'Removes a tag from all contacts, as an action on contacts. Requires both scopes.',
  },
  'contacts.erase': {
    description:
      'Deletes a contact, and erases what is stored of it everywhere, as a job. An erasure that exists is returned.',
  },
  'contacts.unsubscribe': { description: 'Idempotent; emits at most one event.' },
  'contacts.resubscribe': { description: 'Idempotent; emits at most one event.' },
  'contact-properties.create': {
    input: {
      name: 'A letter followed by up to 63 letters, digits or underscores. Unique within the workspace.',
      label: '1 to 128 characters.',
      description: 'At most 1,024 characters.',
    },
  },
  'settings.update': {
    description: 'Contacts that are written after the response obey the settings.',
    input: {
      strictProperties: 'Whether to reject contacts with a property name that has no definition.',
    },
  },
  'imports.cancel': { description: 'Cancels an import. Rows already handled are kept.' },
  'suppressions.create': {
    description: 'Suppresses an address, and unsubscribes the contact that has it.',
    input: { reason: 'Defaults to MANUAL. A suppression that exists keeps its own.' },
  },
  'suppressions.delete': {
    description: 'Deletes a suppression. An unsubscribed contact remains so.',
  },
  'suppressions.import': {
    description:
      'Suppresses up to 1,000 addresses, and unsubscribes the contacts that have them. Counts in rate limits as a request for every 10 addresses.',
    input: { reason: 'Defaults to MANUAL. Suppressions that exist keep theirs.' },
    entriesMax: { refused: suppressionEmailsMax },
  },
  'users.create': {
    input: {
      email: 'Unique within the workspace, ignoring case.',
      name: '1 to 256 characters.',
    },
  },
  'users.update-me': { input: { name: '1 to 256 characters.' } },
  'users.delete': {
    description:
      'Deletes another user with all of their API keys, which end within a second. Requires an API key.',
  },
  'api-keys.create': {
    input: {
      name: '1 to 128 characters.',
      scopes: 'At most those of the API key that the request is sent with.',
      expiresAt:
        'In the future, and not later than the expiry of the API key that the request is sent with, which is the default.',
    },
  },
  'api-keys.rotate': {
    description: 'Rotates the secret of an API key.',
    input: {
      overlapSeconds:
        'How long the previous secret remains valid. At most 604,800; defaults to 86,400.',
    },
  },
  'api-keys.set-sign-in': {
    description:
      'Sets who may sign in to the console with OpenID Connect, as an API key. Requires an API key.',
    input: {
      email: 'The address that the identity provider has verified. Without it, nobody may sign in.',
    },
  },
  'api-keys.delete': {
    description: 'Revokes an API key. Takes effect within a second.',
    payload: { deletedId: 'ID of the revoked API key.' },
  },
  'tokens.create': {
    description: 'Requires an API key, with any scope: browser tokens cannot create tokens.',
    input: {
      scopes: 'Scopes of the API key that the token has. Defaults to all of them.',
      readOnly: 'Whether the token can only read. Defaults to false.',
      operations:
        'The only operations that the token can call, by their names in REST, such as `contacts.list`; `events` and `activity` allow the subscriptions. At most 20. Defaults to all, except those that return a secret, users or the audit log.',
      expiresInSeconds: '60 to 3,600. Defaults to 900.',
    },
  },
  'session-links.create': {
    description:
      'Creates a link that opens a session of the console once. Requires an API key, with any scope.',
    input: { expiresInSeconds: '60 to 300. Defaults to 300.' },
  },
  'export-links.create': {
    description:
      'Creates a link that downloads an export of contacts once, without a key. It must be opened within five minutes.',
    input: { format: 'Defaults to `CSV`.' },
  },
  'sessions.delete': {
    description: 'Ends a session of the console. Takes effect within a second.',
    payload: { deletedId: 'ID of the ended session.' },
  },
  'workspaces.set-origins': {
    description: 'Requires an API key: browser tokens cannot change the origins.',
    input: {
      origins: `All origins of the workspace, such as \`https://app.example.com\`. At most ${originsMax}. Duplicates are removed.`,
    },
  },
  'webhooks.create': {
    input: {
      url: 'At most 2,048 characters, without credentials or fragment.',
      events: 'At least one kind, without duplicates, or only `ALL`.',
      token: '8 to 256 visible ASCII characters. Defaults to a generated token.',
      payload: 'Defaults to `COMPACT`.',
      headers:
        'Further headers of its deliveries by name, such as `Authorization`. At most 10, with at most 4,096 characters together. Stored encrypted; only their names are returned.',
    },
  },
  'webhooks.update': { input: { url: '', events: '', payload: '' } },
  'webhooks.rotate-token': {
    description: 'Rotates the token of a webhook.',
    input: {
      token: '8 to 256 visible ASCII characters. Defaults to a generated token.',
      overlapSeconds:
        'How long deliveries are also signed with the previous token. At most 604,800; defaults to 86,400.',
    },
  },
  'webhooks.enable': { description: 'Enables a webhook.' },
  'webhooks.disable': { description: 'Disables a webhook.' },
  'webhooks.test': {
    description: 'Sends a test event to a webhook. It is not retried.',
    input: { kind: 'Event kind to send. The webhook need not be subscribed to it.' },
  },
  'deliveries.retry': { description: 'Retries a delivery immediately, whatever its status.' },
  'replays.create': {
    input: {
      since: 'Only deliveries of events at or after this time.',
      until: 'Only deliveries of events before this time. Defaults to the current time.',
      kinds: 'Only deliveries of these event kinds.',
    },
  },
  'replays.cancel': {
    description: 'Cancels a replay. Deliveries already queued are still sent.',
  },
};

/** A look-up without a row is described by the noun of its resource. */
export const queryDescriptions: { [Name in OperationName]?: string } = {
  'api-keys.get': 'An API key by ID; null when it does not exist or is revoked.',
  'api-keys.list': 'API keys of the workspace that are not revoked, oldest first.',
  'audit-log.list': 'The audit log of the workspace, newest first.',
  'contact-actions.list': 'The actions on contacts of the workspace, newest first.',
  'contacts.get':
    'A contact by ID, or by `email:` and its address, or `externalId:` and its ID in another system; null when it does not exist.',
  'imports.list': 'The imports of the workspace, newest first.',
  'key.get':
    'The API key that the request is sent with, also of a browser token. Requires no scope.',
  'meta.get': 'The version and the limits of this installation. Requires no scope.',
  'replays.list': 'The replays of the workspace, newest first.',
  'sessions.list': 'The sessions of the console of all users of the workspace, oldest first.',
  'settings.get': 'The settings of the workspace.',
  'suppressions.list': 'The suppressions of the workspace, newest first.',
  'users.get': 'A user of the workspace by ID; null when there is none.',
  'users.list': 'Users of the workspace, oldest first.',
  'users.me': 'The user that the API key belongs to.',
  'workspaces.origins':
    'The origins whose web pages may use the keys and tokens of the workspace, in alphabetical order.',
};

/** The connections of lists that are read in one direction. */
export const connectionDetails: {
  [Name in OperationName]?: ConnectionDetails & {
    connection: string;
    /** Of entries without an ID. */
    cursorOf?: (node: { name: string }) => string;
  };
} = {
  'api-keys.list': {
    connection: 'ApiKeyConnection',
    edge: 'ApiKeyEdge',
    of: 'an API key',
    description: 'API keys that are not revoked, oldest first.',
  },
  'audit-log.list': {
    connection: 'AuditLogConnection',
    edge: 'AuditEntryEdge',
    of: 'an audit log',
    description: 'Entries of the audit log, newest first.',
  },
  'contact-actions.list': {
    connection: 'ContactActionConnection',
    edge: 'ContactActionEdge',
    of: 'an action',
    description: 'Actions on contacts, newest first.',
  },
  'imports.list': {
    connection: 'ImportConnection',
    edge: 'ImportEdge',
    of: 'an import',
    description: 'Imports, newest first.',
  },
  'replays.list': {
    connection: 'ReplayConnection',
    edge: 'ReplayEdge',
    of: 'a replay',
    description: 'Replays, newest first.',
  },
  'sessions.list': {
    connection: 'SessionConnection',
    edge: 'SessionEdge',
    of: 'a session',
    description: 'Sessions of the console, oldest first.',
  },
  'suppressions.list': {
    connection: 'SuppressionConnection',
    edge: 'SuppressionEdge',
    of: 'a suppression',
    description: 'Suppressions, newest first.',
  },
  'tags.list': {
    connection: 'TagConnection',
    edge: 'TagEdge',
    of: 'a tag',
    description: 'Tags of contacts, in the order of their code points.',
    cursorOf: ({ name }) => tagCursor.of(name),
  },
  'users.list': {
    connection: 'UserConnection',
    edge: 'UserEdge',
    of: 'a user',
    description: 'Users of the workspace, oldest first.',
  },
};
