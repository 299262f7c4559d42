// Emitted from libs/contracts by libs/client/emit: npm run record
import type { Download, FileContent, Upload } from './files.js';
import type { Answer, PagePromise } from './page.js';
import type { CallOptions } from './request.js';
import type {
  ApiKey,
  ApiKeyPage,
  AuditEntry,
  AuditLogPage,
  BatchContactInput,
  BatchContactResponse,
  Contact,
  ContactAction,
  ContactActionPage,
  ContactPage,
  ContactProperty,
  ContactPropertyListed,
  ContactPropertyPage,
  CreateApiKeyInput,
  CreateApiKeyResponse,
  CreateContactActionInput,
  CreateContactInput,
  CreateContactPropertyInput,
  CreateExportLinkInput,
  CreateImportInput,
  CreateReplayInput,
  CreateSessionLinkInput,
  CreateSuppressionInput,
  CreateSuppressionResponse,
  CreateTokenInput,
  CreateUserInput,
  CreateWebhookInput,
  CurrentKey,
  DeleteApiKeyResponse,
  DeleteContactPropertyResponse,
  DeleteContactResponse,
  DeleteSessionResponse,
  DeleteSuppressionByEmailInput,
  DeleteSuppressionByEmailResponse,
  DeleteSuppressionResponse,
  DeleteTagInput,
  DeleteUserResponse,
  DeleteWebhookResponse,
  Delivery,
  DeliveryListed,
  DeliveryPage,
  EraseContactInput,
  Erasure,
  Event,
  EventListed,
  EventLogPage,
  ExportContactsInput,
  ExportLink,
  GetContactInput,
  GetContactPropertyValuesResponse,
  GetUsageInput,
  GetUsageResponse,
  GetWebhookHealthInput,
  GetWebhookHealthResponse,
  GetWebhookStatsResponse,
  GetWorkspaceOriginsResponse,
  Import,
  ImportPage,
  ImportPreview,
  ImportSuppressionInput,
  ImportSuppressionResponse,
  ListApiKeysInput,
  ListAuditLogInput,
  ListContactActionsInput,
  ListContactPropertiesInput,
  ListContactsInput,
  ListDeliveriesInput,
  ListEventLogInput,
  ListImportsErrorsInput,
  ListImportsInput,
  ListReplaysInput,
  ListSessionsInput,
  ListSuppressionsInput,
  ListTagsInput,
  ListUsersInput,
  ListWorkspaceDeliveriesInput,
  Meta,
  Notice,
  PreviewImportsInput,
  PropertyContactsValuesInput,
  RenameTagInput,
  Replay,
  ReplayPage,
  RotateApiKeyInput,
  RotateApiKeyResponse,
  RotateWebhookTokenInput,
  Session,
  SessionLink,
  SessionPage,
  SetApiKeySignInInput,
  SetWorkspaceOriginsInput,
  SetWorkspaceOriginsResponse,
  Settings,
  Suppression,
  SuppressionPage,
  Tag,
  TagPage,
  TestWebhookInput,
  Token,
  UpdateContactInput,
  UpdateContactPropertyInput,
  UpdateContactPropertyResponse,
  UpdateMeInput,
  UpdateSettingInput,
  UpdateWebhookInput,
  UpsertContactInput,
  UpsertContactResponse,
  User,
  UserPage,
  Webhook,
  WebhookListed,
  WebhookPage,
  WorkspaceDeliveryPage,
} from './types.js';

export type * from './types.js';

/** The methods of all operations, by resource. */
export abstract class Resources {
  declare readonly contacts: {
    /** List contacts. Requires the scope `api_user`. */
    list(query?: ListContactsInput, options?: CallOptions): PagePromise<ContactPage, Contact>;
    /** Export contacts as CSV or newline-delimited JSON. Requires the scope `api_user`. */
    export(query?: ExportContactsInput, options?: CallOptions): Download;
    /** Get a contact. Requires the scope `user`. Faults: `not_found`. */
    get(contactId: string, query?: GetContactInput, options?: CallOptions): Answer<Contact>;
    /**
     * Create a contact. Requires the scope `api_user`. Faults: `conflict`, `limit_reached`,
     * `quota_exceeded`.
     */
    create(input: CreateContactInput, options?: CallOptions): Answer<Contact & { notices?: Notice[] }>;
    /**
     * Create or update the contact with an email address or an external ID. Requires the scopes
     * `api_user` and `user`. Faults: `conflict`, `limit_reached`, `quota_exceeded`.
     */
    upsert(input: UpsertContactInput, options?: CallOptions): Answer<UpsertContactResponse>;
    /**
     * Update a contact. Requires the scope `user`. Faults: `not_found`, `conflict`,
     * `limit_reached`, `precondition_failed`.
     */
    update(contactId: string, input: UpdateContactInput, options?: CallOptions): Answer<Contact & { notices?: Notice[] }>;
    /** Delete a contact. Requires the scope `user`. Faults: `not_found`, `precondition_failed`. */
    delete(contactId: string, options?: CallOptions): Answer<DeleteContactResponse>;
    /** Unsubscribe a contact. Requires the scope `user`. Faults: `not_found`. */
    unsubscribe(contactId: string, options?: CallOptions): Answer<Contact>;
    /** Resubscribe a contact. Requires the scope `user`. Faults: `not_found`. */
    resubscribe(contactId: string, options?: CallOptions): Answer<Contact>;
    /**
     * Create, update and delete many contacts. Requires the scopes `api_user` and `user`.
     * Faults: `conflict`, `limit_reached`.
     */
    batch(input: BatchContactInput, options?: CallOptions): Answer<BatchContactResponse>;
    /**
     * Get frequent values of a property, of the newest 5000 contacts. Requires the scope
     * `api_user`.
     */
    propertyValues(query: PropertyContactsValuesInput, options?: CallOptions): Answer<GetContactPropertyValuesResponse>;
    /**
     * Delete a contact, and erase what is stored of it everywhere. Requires the scope `user`.
     * Faults: `not_found`, `limit_reached`.
     */
    erase(contactId: string, input?: EraseContactInput, options?: CallOptions): Answer<Erasure>;
  };
  declare readonly contactActions: {
    /**
     * Change or delete all contacts that match a filter. Requires the scopes `api_user` and
     * `user`. Faults: `limit_reached`.
     */
    create(input: CreateContactActionInput, options?: CallOptions): Answer<ContactAction>;
    /** List actions on contacts, newest first. Requires the scope `user`. */
    list(query?: ListContactActionsInput, options?: CallOptions): PagePromise<ContactActionPage, ContactAction>;
    /** Get the progress of an action on contacts. Requires the scope `user`. Faults: `not_found`. */
    get(actionId: string, options?: CallOptions): Answer<ContactAction>;
    /**
     * Cancel an action on contacts; changes already made are kept. Requires the scope `user`.
     * Faults: `not_found`.
     */
    cancel(actionId: string, options?: CallOptions): Answer<ContactAction>;
  };
  declare readonly contactProperties: {
    /** List contact properties. Requires the scope `api_user`. */
    list(query?: ListContactPropertiesInput, options?: CallOptions): PagePromise<ContactPropertyPage, ContactPropertyListed>;
    /**
     * Get a contact property, with its description. Requires the scope `api_user`. Faults:
     * `not_found`.
     */
    get(propertyId: string, options?: CallOptions): Answer<ContactProperty>;
    /** Create a contact property. Requires the scope `user`. Faults: `conflict`, `limit_reached`. */
    create(input: CreateContactPropertyInput, options?: CallOptions): Answer<ContactProperty>;
    /**
     * Update a contact property. Requires the scope `user`. Faults: `not_found`,
     * `precondition_failed`, `conflict`, `limit_reached`.
     */
    update(propertyId: string, input: UpdateContactPropertyInput, options?: CallOptions): Answer<UpdateContactPropertyResponse>;
    /**
     * Delete a contact property; contacts keep their values. Requires the scope `user`. Faults:
     * `not_found`, `precondition_failed`.
     */
    delete(propertyId: string, options?: CallOptions): Answer<DeleteContactPropertyResponse>;
  };
  declare readonly tags: {
    /** List the tags of contacts. Requires the scope `api_user`. */
    list(query?: ListTagsInput, options?: CallOptions): PagePromise<TagPage, Tag>;
    /**
     * Rename a tag, or merge it into another. Requires the scopes `api_user` and `user`. Faults:
     * `not_found`, `limit_reached`.
     */
    rename(tag: string, input: RenameTagInput, options?: CallOptions): Answer<ContactAction>;
    /**
     * Remove a tag from all contacts. Requires the scopes `api_user` and `user`. Faults:
     * `not_found`, `limit_reached`.
     */
    delete(tag: string, input?: DeleteTagInput, options?: CallOptions): Answer<ContactAction>;
  };
  declare readonly settings: {
    /** Get the settings of the workspace. Requires the scope `user`. */
    get(options?: CallOptions): Answer<Settings>;
    /**
     * Update the settings of the workspace; contacts written after the response obey them.
     * Requires the scope `user`. Faults: `precondition_failed`.
     */
    update(input: UpdateSettingInput, options?: CallOptions): Answer<Settings>;
  };
  declare readonly imports: {
    /**
     * Import contacts from CSV or newline-delimited JSON. Requires the scopes `api_user` and
     * `user`. Faults: `conflict`, `limit_reached`.
     */
    create(file: FileContent, input?: CreateImportInput, options?: CallOptions): Upload<Import>;
    /**
     * Show how an import reads the beginning of a file, without storing anything. Requires the
     * scopes `api_user` and `user`.
     */
    preview(file: FileContent, input?: PreviewImportsInput, options?: CallOptions): Answer<ImportPreview>;
    /** List imports, newest first. Requires the scope `user`. */
    list(query?: ListImportsInput, options?: CallOptions): PagePromise<ImportPage, Import>;
    /** Get the progress of an import. Requires the scope `user`. Faults: `not_found`. */
    get(importId: string, options?: CallOptions): Answer<Import>;
    /** Download the errors of an import as CSV. Requires the scope `user`. Faults: `not_found`. */
    listErrors(importId: string, query?: ListImportsErrorsInput, options?: CallOptions): Download;
    /**
     * Cancel an import; rows already handled are kept. Requires the scope `user`. Faults:
     * `not_found`.
     */
    cancel(importId: string, options?: CallOptions): Answer<Import>;
  };
  declare readonly suppressions: {
    /** List suppressions, newest first, or find that of an address. Requires the scope `user`. */
    list(query?: ListSuppressionsInput, options?: CallOptions): PagePromise<SuppressionPage, Suppression>;
    /** Get a suppression. Requires the scope `user`. Faults: `not_found`. */
    get(suppressionId: string, options?: CallOptions): Answer<Suppression>;
    /** Suppress an address, and unsubscribe the contact that has it. Requires the scope `user`. */
    create(input: CreateSuppressionInput, options?: CallOptions): Answer<CreateSuppressionResponse>;
    /**
     * Delete a suppression; an unsubscribed contact remains so. Requires the scope `user`.
     * Faults: `not_found`, `precondition_failed`.
     */
    delete(suppressionId: string, options?: CallOptions): Answer<DeleteSuppressionResponse>;
    /** Delete the suppression of an address, if there is one. Requires the scope `user`. */
    deleteByEmail(input: DeleteSuppressionByEmailInput, options?: CallOptions): Answer<DeleteSuppressionByEmailResponse>;
    /**
     * Suppress many addresses, and unsubscribe the contacts that have them. Requires the scope
     * `user`.
     */
    import(input: ImportSuppressionInput, options?: CallOptions): Answer<ImportSuppressionResponse>;
  };
  declare readonly erasures: {
    /** Get the progress of an erasure. Requires the scope `user`. Faults: `not_found`. */
    get(erasureId: string, options?: CallOptions): Answer<Erasure>;
  };
  declare readonly users: {
    /** Get the authenticated user. Requires the scope `user`. */
    me(options?: CallOptions): Answer<User>;
    /** List users. Requires the scope `user`. */
    list(query?: ListUsersInput, options?: CallOptions): PagePromise<UserPage, User>;
    /** Get a user. Requires the scope `user`. Faults: `not_found`. */
    get(userId: string, options?: CallOptions): Answer<User>;
    /** Create a user. Requires the scope `user`. Faults: `conflict`. */
    create(input: CreateUserInput, options?: CallOptions): Answer<User>;
    /** Update the authenticated user. Requires the scope `user`. Faults: `precondition_failed`. */
    updateMe(input: UpdateMeInput, options?: CallOptions): Answer<User>;
    /**
     * Delete a user with all of their API keys, which end within a second. Requires the scope
     * `user`, and no browser token. Faults: `not_found`, `conflict`, `precondition_failed`.
     */
    delete(userId: string, options?: CallOptions): Answer<DeleteUserResponse>;
  };
  declare readonly apiKeys: {
    /** List API keys. Requires the scope `user`, and no browser token. */
    list(query?: ListApiKeysInput, options?: CallOptions): PagePromise<ApiKeyPage, ApiKey>;
    /** Get an API key. Requires the scope `user`, and no browser token. Faults: `not_found`. */
    get(keyId: string, options?: CallOptions): Answer<ApiKey>;
    /**
     * Create an API key. Requires the scope `user`, and no browser token. Faults: `conflict`,
     * `limit_reached`.
     */
    create(input: CreateApiKeyInput, options?: CallOptions): Answer<CreateApiKeyResponse>;
    /**
     * Rotate the secret of an API key. Requires the scope `user`, and no browser token. Faults:
     * `not_found`, `conflict`.
     */
    rotate(keyId: string, input?: RotateApiKeyInput, options?: CallOptions): Answer<RotateApiKeyResponse>;
    /**
     * Set who may sign in to the console with OpenID Connect, as an API key. Requires the scope
     * `user`, and no browser token. Faults: `not_found`, `conflict`.
     */
    setSignIn(keyId: string, input?: SetApiKeySignInInput, options?: CallOptions): Answer<ApiKey>;
    /**
     * Revoke an API key; takes effect within a second. Requires the scope `user`, and no browser
     * token. Faults: `not_found`, `conflict`, `precondition_failed`.
     */
    delete(keyId: string, options?: CallOptions): Answer<DeleteApiKeyResponse>;
  };
  declare readonly key: {
    /** Get the API key that the request is sent with. Requires no scope. */
    get(options?: CallOptions): Answer<CurrentKey>;
  };
  declare readonly tokens: {
    /** Create a browser token. Requires no scope, and no browser token. */
    create(input?: CreateTokenInput, options?: CallOptions): Answer<Token>;
  };
  declare readonly sessionLinks: {
    /**
     * Create a link that opens a session of the console once. Requires no scope, and no browser
     * token.
     */
    create(input?: CreateSessionLinkInput, options?: CallOptions): Answer<SessionLink>;
  };
  declare readonly sessions: {
    /** List the sessions of the console, oldest first. Requires the scope `user`. */
    list(query?: ListSessionsInput, options?: CallOptions): PagePromise<SessionPage, Session>;
    /** Get a session of the console. Requires the scope `user`. Faults: `not_found`. */
    get(sessionId: string, options?: CallOptions): Answer<Session>;
    /**
     * End a session of the console; takes effect within a second. Requires the scope `user`, and
     * no browser token. Faults: `not_found`, `precondition_failed`.
     */
    delete(sessionId: string, options?: CallOptions): Answer<DeleteSessionResponse>;
  };
  declare readonly exportLinks: {
    /**
     * Create a link that downloads an export of contacts once, without a key. Requires the scope
     * `api_user`.
     */
    create(input?: CreateExportLinkInput, options?: CallOptions): Answer<ExportLink>;
  };
  declare readonly auditLog: {
    /** List the audit log, newest first. Requires the scope `user`. */
    list(query?: ListAuditLogInput, options?: CallOptions): PagePromise<AuditLogPage, AuditEntry>;
  };
  declare readonly origins: {
    /**
     * List the origins whose web pages may use the keys and tokens of the workspace. Requires
     * the scope `user`.
     */
    get(options?: CallOptions): Answer<GetWorkspaceOriginsResponse>;
    /**
     * Replace the origins of the workspace; takes effect within a second. Requires the scope
     * `user`, and no browser token. Faults: `precondition_failed`.
     */
    update(input: SetWorkspaceOriginsInput, options?: CallOptions): Answer<SetWorkspaceOriginsResponse>;
  };
  declare readonly usage: {
    /** Get the usage of the workspace by day. Requires the scope `user`. */
    get(query?: GetUsageInput, options?: CallOptions): Answer<GetUsageResponse>;
  };
  declare readonly webhooks: {
    /** List webhooks. Requires the scope `api_user`. */
    list(options?: CallOptions): PagePromise<WebhookPage, WebhookListed>;
    /** Get a webhook. Requires the scope `user`. Faults: `not_found`, `conflict`. */
    get(webhookId: string, options?: CallOptions): Answer<Webhook>;
    /** Create a webhook. Requires the scope `api_user`. Faults: `conflict`, `limit_reached`. */
    create(input: CreateWebhookInput, options?: CallOptions): Answer<Webhook>;
    /**
     * Update a webhook. Requires the scope `user`. Faults: `not_found`, `conflict`,
     * `precondition_failed`.
     */
    update(webhookId: string, input: UpdateWebhookInput, options?: CallOptions): Answer<Webhook>;
    /** Delete a webhook. Requires the scope `user`. Faults: `not_found`, `precondition_failed`. */
    delete(webhookId: string, options?: CallOptions): Answer<DeleteWebhookResponse>;
    /** Rotate the token of a webhook. Requires the scope `user`. Faults: `not_found`, `conflict`. */
    rotateToken(webhookId: string, input?: RotateWebhookTokenInput, options?: CallOptions): Answer<Webhook>;
    /** Enable a webhook. Requires the scope `user`. Faults: `not_found`, `conflict`. */
    enable(webhookId: string, options?: CallOptions): Answer<Webhook>;
    /** Disable a webhook. Requires the scope `user`. Faults: `not_found`, `conflict`. */
    disable(webhookId: string, options?: CallOptions): Answer<Webhook>;
    /**
     * Send a test event to a webhook. Requires the scope `user`. Faults: `not_found`,
     * `conflict`.
     */
    test(webhookId: string, input: TestWebhookInput, options?: CallOptions): Answer<DeliveryListed>;
    /**
     * Get hourly delivery statistics of a webhook for the last 7 days. Requires the scope
     * `user`. Faults: `not_found`.
     */
    stats(webhookId: string, options?: CallOptions): Answer<GetWebhookStatsResponse>;
  };
  declare readonly deliveries: {
    /**
     * List the deliveries of a webhook, newest first. Requires the scope `user`. Faults:
     * `not_found`.
     */
    list(webhookId: string, query?: ListDeliveriesInput, options?: CallOptions): PagePromise<DeliveryPage, DeliveryListed>;
    /** List the deliveries of all webhooks, newest first. Requires the scope `user`. */
    listAll(query?: ListWorkspaceDeliveriesInput, options?: CallOptions): PagePromise<WorkspaceDeliveryPage, DeliveryListed>;
    /**
     * Get a delivery with its payload and all attempts. Requires the scope `user`. Faults:
     * `not_found`.
     */
    get(deliveryId: string, options?: CallOptions): Answer<Delivery>;
    /**
     * Retry a delivery immediately, whatever its status. Requires the scope `user`. Faults:
     * `not_found`, `conflict`.
     */
    retry(deliveryId: string, options?: CallOptions): Answer<DeliveryListed>;
  };
  declare readonly webhookHealth: {
    /** Get the statistics of webhooks over a period. Requires the scope `user`. */
    get(query?: GetWebhookHealthInput, options?: CallOptions): Answer<GetWebhookHealthResponse>;
  };
  declare readonly replays: {
    /**
     * Replay deliveries in a time range. Requires the scope `user`. Faults: `not_found`,
     * `conflict`.
     */
    create(webhookId: string, input: CreateReplayInput, options?: CallOptions): Answer<Replay>;
    /** List replays, newest first. Requires the scope `user`. */
    list(query?: ListReplaysInput, options?: CallOptions): PagePromise<ReplayPage, Replay>;
    /** Get the progress of a replay. Requires the scope `user`. Faults: `not_found`. */
    get(replayId: string, options?: CallOptions): Answer<Replay>;
    /**
     * Cancel a replay; deliveries already queued are still sent. Requires the scope `user`.
     * Faults: `not_found`.
     */
    cancel(replayId: string, options?: CallOptions): Answer<Replay>;
  };
  declare readonly eventLog: {
    /**
     * List events in the order in which they were published, or newest first. Requires the scope
     * `api_user`.
     */
    list(query?: ListEventLogInput, options?: CallOptions): PagePromise<EventLogPage, EventListed>;
    /** Get an event with its deliveries. Requires the scope `user`. Faults: `not_found`. */
    get(eventId: string, options?: CallOptions): Answer<Event>;
  };
  declare readonly meta: {
    /** Get the version and the limits of this installation. Requires no scope. */
    get(options?: CallOptions): Answer<Meta>;
  };
}

/**
 * What each method sends: its method, its path, in which `:` is an ID and `::` any text,
 * whether it has an input (`i`), and what it returns: the field of a result (`.`), the
 * entries of pages (`*`), a file (`<`); or takes: a file (`>`), the beginning of one (`^`).
 */
export const methods: Record<string, Record<string, string>> = {
  contacts: {
    list: 'GET contacts i*contacts',
    export: 'GET exports/contacts i<',
    get: 'GET contacts/: i.contact',
    create: 'POST contacts i.contact',
    upsert: 'PUT contacts i',
    update: 'PUT contacts/: i.contact',
    delete: 'DELETE contacts/:',
    unsubscribe: 'POST contacts/:/unsubscribe .contact',
    resubscribe: 'POST contacts/:/resubscribe .contact',
    batch: 'POST contacts/batch i',
    propertyValues: 'GET property-values i',
    erase: 'POST contacts/:/erase i.erasure',
  },
  contactActions: {
    create: 'POST contacts/actions i.action',
    list: 'GET contacts/actions i*actions',
    get: 'GET contacts/actions/: .action',
    cancel: 'POST contacts/actions/:/cancel .action',
  },
  contactProperties: {
    list: 'GET contact-properties i*properties',
    get: 'GET contact-properties/: .property',
    create: 'POST contact-properties i.property',
    update: 'PUT contact-properties/: i',
    delete: 'DELETE contact-properties/:',
  },
  tags: {
    list: 'GET tags i*tags',
    rename: 'PUT tags/:: i.action',
    delete: 'DELETE tags/:: i.action',
  },
  settings: {
    get: 'GET settings .settings',
    update: 'PUT settings i.settings',
  },
  imports: {
    create: 'POST imports i>import',
    preview: 'POST imports/preview i^preview',
    list: 'GET imports i*imports',
    get: 'GET imports/: .import',
    listErrors: 'GET imports/:/errors i<',
    cancel: 'POST imports/:/cancel .import',
  },
  suppressions: {
    list: 'GET suppressions i*suppressions',
    get: 'GET suppressions/: .suppression',
    create: 'POST suppressions i',
    delete: 'DELETE suppressions/:',
    deleteByEmail: 'DELETE suppressions i',
    import: 'POST suppressions/imports i',
  },
  erasures: {
    get: 'GET erasures/: .erasure',
  },
  users: {
    me: 'GET users/me .user',
    list: 'GET users i*users',
    get: 'GET users/: .user',
    create: 'POST users i.user',
    updateMe: 'PUT users/me i.user',
    delete: 'DELETE users/:',
  },
  apiKeys: {
    list: 'GET api-keys i*apiKeys',
    get: 'GET api-keys/: .apiKey',
    create: 'POST api-keys i',
    rotate: 'POST api-keys/:/rotate i',
    setSignIn: 'POST api-keys/:/sign-in i.apiKey',
    delete: 'DELETE api-keys/:',
  },
  key: {
    get: 'GET key .key',
  },
  tokens: {
    create: 'POST tokens i.token',
  },
  sessionLinks: {
    create: 'POST session-links i.link',
  },
  sessions: {
    list: 'GET sessions i*sessions',
    get: 'GET sessions/: .session',
    delete: 'DELETE sessions/:',
  },
  exportLinks: {
    create: 'POST export-links i.link',
  },
  auditLog: {
    list: 'GET audit-log i*entries',
  },
  origins: {
    get: 'GET origins',
    update: 'PUT origins i',
  },
  usage: {
    get: 'GET usage i',
  },
  webhooks: {
    list: 'GET webhooks *webhooks',
    get: 'GET webhooks/: .webhook',
    create: 'POST webhooks i.webhook',
    update: 'PUT webhooks/: i.webhook',
    delete: 'DELETE webhooks/:',
    rotateToken: 'POST webhooks/:/rotate-token i.webhook',
    enable: 'POST webhooks/:/enable .webhook',
    disable: 'POST webhooks/:/disable .webhook',
    test: 'POST webhooks/:/test i.delivery',
    stats: 'GET webhooks/:/stats .stats',
  },
  deliveries: {
    list: 'GET webhooks/:/deliveries i*deliveries',
    listAll: 'GET deliveries i*deliveries',
    get: 'GET deliveries/: .delivery',
    retry: 'POST deliveries/:/retry .delivery',
  },
  webhookHealth: {
    get: 'GET webhook-health i',
  },
  replays: {
    create: 'POST webhooks/:/replays i.replay',
    list: 'GET replays i*replays',
    get: 'GET replays/: .replay',
    cancel: 'POST replays/:/cancel .replay',
  },
  eventLog: {
    list: 'GET events i*events',
    get: 'GET events/: .event',
  },
  meta: {
    get: 'GET meta .meta',
  },
};
