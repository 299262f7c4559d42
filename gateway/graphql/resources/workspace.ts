import { operations, scopes, tokenOperationsMax, type Scope } from '@roster/contracts';
import { Field, ID, ObjectType } from 'type-graphql';
import { FieldsOf } from '../contract/fields-of.js';
import { Cost } from '../document/field-cost.js';
import { ScopeEnum } from './enums.js';
import { Node, NodeType } from './node.js';

// Types of a workspace that follow from their contracts, as their queries and mutations do.

@NodeType('A member of the workspace.', operations['users.me'].output.shape.user, {
  email: 'Unique within the workspace, ignoring case.',
  lastAccessedAt:
    'Updated immediately by `me`, and within a minute by any other use of the API keys of the user.',
})
class User extends Node {}

@NodeType('Authenticates requests as a user.', operations['api-keys.get'].output.shape.apiKey, {
  prefix: 'First characters of the secret. Null if they were not recorded.',
  expiresAt: 'Null if the API key does not expire.',
  lastUsedAt: 'Recorded about once a minute. Null before the first use.',
})
class ApiKey extends Node {}

@ObjectType()
abstract class Named {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;
}

@ObjectType()
class KeyWorkspace extends Named {}

@ObjectType()
class KeyUser extends Named {}

@ObjectType({ description: 'What a browser token allows of what its API key does.' })
class KeyToken {
  @Field(() => Boolean, { description: 'Whether the token can only read.' })
  readOnly!: boolean;

  @Cost({ entriesMax: tokenOperationsMax })
  @Field(() => [String], {
    nullable: true,
    description: 'Names of the only operations that the token can call. Null for all.',
  })
  operations!: string[] | null;
}

@ObjectType({ description: 'The API key of the request, without its secret.' })
@FieldsOf(
  operations['key.get'].output.shape.key.omit({ workspace: true, user: true, token: true }),
  { expiresAt: 'Of the API key, also for a browser token. Null without an expiry.' },
)
class CurrentKey {
  @Field(() => KeyWorkspace)
  workspace!: KeyWorkspace;

  @Field(() => KeyUser, { description: 'The user that the API key belongs to.' })
  user!: KeyUser;

  @Field(() => KeyToken, { nullable: true, description: 'Null for an API key.' })
  token!: KeyToken | null;
}

@ObjectType({
  description: 'Authenticates requests of a browser for a short time, within the limits of a key.',
})
@FieldsOf(operations['tokens.create'].output.shape.token.omit({ scopes: true }), {
  secret: 'Sent like an API key. It is not stored.',
  operations: 'Null if the token is not limited to some.',
})
class Token {
  @Cost({ entriesMax: scopes.length })
  @Field(() => [ScopeEnum])
  scopes!: Scope[];
}

@NodeType(
  'A browser in which a user signed in to the console.',
  operations['sessions.get'].output.shape.session.omit({ user: true }),
)
class Session extends Node {
  @Field(() => KeyUser, { description: 'The user who signed in.' })
  user!: KeyUser;
}

@ObjectType({ description: 'Opens a session of the console once.' })
@FieldsOf(operations['session-links.create'].output.shape.link)
class SessionLink {}

@ObjectType({ description: 'Downloads an export of contacts once.' })
@FieldsOf(operations['export-links.create'].output.shape.link)
class ExportLink {}
@ObjectType({
  description: 'What of a request was not applied as requested, although the rest was.',
})
@FieldsOf(operations['contacts.update'].output.shape.notices.unwrap().element)
class Notice {}

@ObjectType({ description: 'A tag of contacts.' })
@FieldsOf(operations['tags.list'].output.shape.tags.element, {
  name: 'Tags distinguish cases.',
})
class Tag {}

@ObjectType({ description: 'Settings of the workspace.' })
@FieldsOf(operations['settings.get'].output.shape.settings)
class Settings {}

@ObjectType({ description: 'A change, or the reading of a secret.' })
@FieldsOf(operations['audit-log.list'].output.shape.entries.element.omit({ resourceId: true }), {
  action: 'What was done, such as `webhook.token_read`.',
  actor: 'The user who did it. Null for an operator and for the system.',
  actorName: 'The present name of that user. Null for a deleted user, an operator and the system.',
  actorType: 'What made the change.',
})
class AuditEntry {
  @Field(() => ID, { description: 'ID of the resource that it concerns.' })
  resourceId!: string;
}

@ObjectType({ description: 'Maxima of this installation.' })
@FieldsOf(operations['meta.get'].output.shape.meta.shape.limits)
class Limits {}

@ObjectType({ description: 'The version and the limits of this installation.' })
@FieldsOf(operations['meta.get'].output.shape.meta, {
  deliveryAddresses:
    'Addresses and CIDR ranges that deliveries are sent from. Null if the operator has not stated them.',
})
class Meta {}

@NodeType('An import of contacts from a file.', operations['imports.get'].output.shape.import, {
  dryRun: 'Whether rows are only checked.',
  skipped: 'Number of existing contacts left unchanged by the mode `SKIP`.',
  reason: 'Why an import with the status `FAILED` failed. Otherwise null.',
  fileName: 'Null if it was not given with the import.',
})
export class Import extends Node {}

@NodeType(
  'An address that receives nothing. The address itself is not stored.',
  operations['suppressions.get'].output.shape.suppression,
)
export class Suppression extends Node {}

@ObjectType({ description: 'An entry of a list of addresses that is not an address.' })
@FieldsOf(operations['suppressions.import'].output.shape.refused.element)
class SuppressionRefusal {}

@NodeType(
  'A change of all contacts that match a filter.',
  operations['contact-actions.get'].output.shape.action,
  {
    dryRun: 'Whether outcomes are only counted.',
    reason: 'Why an action with the status `FAILED` failed. Otherwise null.',
    failures: 'The first contacts that were refused, each `{contactId, message}`.',
  },
)
export class ContactAction extends Node {}

@NodeType(
  'The erasure of a contact: what was stored of it everywhere is removed.',
  operations['erasures.get'].output.shape.erasure,
)
export class Erasure extends Node {}

/** Found by the names that they have in the contracts. */
export const workspaceTypes = [
  Tag,
  User,
  ApiKey,
  CurrentKey,
  Token,
  Session,
  SessionLink,
  ExportLink,
  Notice,
  Settings,
  AuditEntry,
  Limits,
  Meta,
  Suppression,
  SuppressionRefusal,
  ContactAction,
  Erasure,
];
