// Emitted from libs/contracts by libs/client/emit: npm run record
export const version = '0.3.0';
/** All event kinds of this release, and all scopes. */
export const eventKinds = ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_UNSUBSCRIBED', 'CONTACT_RESUBSCRIBED', 'CONTACT_DELETED', 'WORKSPACE_TEAM_MEMBER_JOINED', 'IMPORT_ENDED', 'ACTION_ENDED', 'WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'DELIVERY_DEAD', 'KEY_EXPIRING'] as const;
export const scopes = ['api_user', 'user'] as const;

export interface ListContactsInput {
  /**
   * Maximum number of contacts to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Number of contacts to skip; at most 10,000 with a filter or an order. Defaults to `0`. */
  offset?: number | undefined;
  /**
   * Cursor: `pagination.next` of the previous page. The cost does not grow with the page
   * number.
   */
  after?: string | undefined;
  /** Fields that contacts have only on request: `unsubscribeUrl`. */
  include?: 'unsubscribeUrl'[] | undefined;
  /**
   * `exact`: `total` is exact whatever it is, and the response is 503 if counting takes more
   * than three seconds.
   */
  count?: 'exact' | undefined;
  /** Email address, ignoring case. */
  email?: string | undefined;
  /** ID in another system, exactly. */
  externalId?: string | undefined;
  /**
   * Contacts with this tag, or `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`,
   * `missing`, `is:exists` for a tag of that name. Repeat it: contacts must match all. Without
   * a prefix, `tag=a,b` means the tag `a,b`.
   */
  tag?: string[] | undefined;
  /** Subscription status, or `not:` and a status. */
  status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed' | undefined;
  /**
   * Contacts whose property has exactly this value, as `city:Paris`, or `city:any:Paris,Rome`,
   * `city:none:Paris,Rome`, `city:not:Paris`, `city:exists`, `city:missing`,
   * `since:gte:2026-01-01` (`gt`, `gte`, `lt`, `lte`). With several conditions, also on one
   * property, as `age:gte:18` and `age:lt:65`, all must match.
   */
  property?: Record<string, string | string[]> | undefined;
  /** Contacts created after this time. */
  createdAfter?: string | undefined;
  /** Contacts created before this time. */
  createdBefore?: string | undefined;
  /**
   * Contacts created or changed after this time, which is exact to the microsecond. With
   * `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen
   * misses no change.
   */
  updatedAfter?: string | undefined;
  /** Contacts created or last changed before this time. */
  updatedBefore?: string | undefined;
  /**
   * Contacts whose email address contains this text (with fewer than three characters: begins
   * with it), or whose name has words that begin with all of its words. Case is ignored.
   */
  q?: string | undefined;
  /**
   * Order: `createdAt` (default), `email`, `name` or `updatedAt`, or `property:` and the name
   * of a property; with a minus in front, the reverse. Cursors are valid for one order.
   */
  sort?: 'createdAt' | '-createdAt' | 'email' | '-email' | 'name' | '-name' | 'updatedAt' | '-updatedAt' | `property:${string}` | `-property:${string}` | undefined;
}

export interface Contact {
  id: string;
  email: string;
  name: string;
  createdAt: string;
  tags: string[];
  properties: Record<string, string | number | boolean>;
  status: 'subscribed' | 'unsubscribed';
  /**
   * Time of the last change, with microseconds. Of two changes in a workspace, the one that
   * became visible later has the later time, whatever clocks do.
   */
  updatedAt: string;
  /** 1, and one more with each change. */
  version: number;
  /** ID of the contact in another system, unique within the workspace; null if it has none. */
  externalId: string | null;
  /**
   * Address at which the contact can unsubscribe, without a key. Present with
   * `include=unsubscribeUrl`; null if the installation has no public address.
   */
  unsubscribeUrl?: string | null;
}

export interface ContactPage {
  contacts: Contact[];
  pagination: {
    /**
     * Number of contacts in the workspace, or of those that match the filter. Exact unless
     * `totalIsEstimate` is true.
     */
    total: number;
    /** True if more contacts match the filter than are counted. Otherwise absent. */
    totalIsEstimate?: boolean;
    /** Limit that was applied. */
    limit: number;
    /** Offset that was applied. */
    offset: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface ExportContactsInput {
  /** Format of the file: CSV, or a JSON object per line. Defaults to `"csv"`. */
  format?: 'csv' | 'ndjson' | undefined;
  /** Email address, ignoring case. */
  email?: string | undefined;
  /** ID in another system, exactly. */
  externalId?: string | undefined;
  /**
   * Contacts with this tag, or `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`,
   * `missing`, `is:exists` for a tag of that name. Repeat it: contacts must match all. Without
   * a prefix, `tag=a,b` means the tag `a,b`.
   */
  tag?: string[] | undefined;
  /** Subscription status, or `not:` and a status. */
  status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed' | undefined;
  /**
   * Contacts whose property has exactly this value, as `city:Paris`, or `city:any:Paris,Rome`,
   * `city:none:Paris,Rome`, `city:not:Paris`, `city:exists`, `city:missing`,
   * `since:gte:2026-01-01` (`gt`, `gte`, `lt`, `lte`). With several conditions, also on one
   * property, as `age:gte:18` and `age:lt:65`, all must match.
   */
  property?: Record<string, string | string[]> | undefined;
  /** Contacts created after this time. */
  createdAfter?: string | undefined;
  /** Contacts created before this time. */
  createdBefore?: string | undefined;
  /**
   * Contacts created or changed after this time, which is exact to the microsecond. With
   * `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen
   * misses no change.
   */
  updatedAfter?: string | undefined;
  /** Contacts created or last changed before this time. */
  updatedBefore?: string | undefined;
  /**
   * Contacts whose email address contains this text (with fewer than three characters: begins
   * with it), or whose name has words that begin with all of its words. Case is ignored.
   */
  q?: string | undefined;
}

export interface GetContactInput {
  /** Fields that contacts have only on request: `unsubscribeUrl`. */
  include?: 'unsubscribeUrl'[] | undefined;
}

export interface CreateContactInput {
  email: string;
  /** Defaults to `""`. */
  name?: string | undefined;
  /** Duplicates are removed. Order is preserved. */
  tags?: string[] | undefined;
  /** The contact may have 10000 bytes of JSON. Defaults to `{}`. */
  properties?: Record<string, string | number | boolean> | undefined;
  /** `subscribed` by default. */
  status?: 'subscribed' | 'unsubscribed' | undefined;
  /**
   * Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the
   * scope `user`, and is recorded in the audit log.
   */
  resubscribe?: boolean | undefined;
  /** ID of the contact in another system, at most 128 characters, unique within the workspace. */
  externalId?: string | null | undefined;
}

export interface Notice {
  code: 'not_resubscribed' | 'suppressed';
  message: string;
}

export interface UpsertContactInput {
  /**
   * Address of the contact, ignoring case. A contact with this address keeps its spelling.
   * Required unless `externalId` names an existing contact, whose address it changes.
   */
  email?: string | undefined;
  name?: string | undefined;
  /** Replaces all tags. Duplicates are removed. */
  tags?: string[] | undefined;
  /**
   * Merged into the existing properties. A null value removes the property. The contact may
   * then have 100 properties and 10000 bytes of JSON.
   */
  properties?: Record<string, string | number | boolean | null> | undefined;
  /**
   * Tags to add after the others. Not together with `tags`. The contact may then have 100
   * tags.
   */
  addTags?: string[] | undefined;
  /** Tags to remove, if the contact has them. Not together with `tags`. */
  removeTags?: string[] | undefined;
  /**
   * ID of the contact in another system. A contact that has it is updated; otherwise the one
   * with the address gets it, or the new one.
   */
  externalId?: string | null | undefined;
  /** Must be the stored value of an existing contact. Rejected for a new one. */
  id?: string | undefined;
  /** Must be the stored value of an existing contact. Rejected for a new one. */
  createdAt?: string | undefined;
  /**
   * Status of a new contact. `unsubscribed` unsubscribes an existing one. `subscribed` leaves
   * an unsubscribed contact as it is, and the response has a notice: `/resubscribe` changes
   * it.
   */
  status?: 'subscribed' | 'unsubscribed' | undefined;
  /** Ignored: `If-Match` makes a change depend on the version. */
  updatedAt?: string | undefined;
  /** Ignored: `If-Match` makes a change depend on the version. */
  version?: number | undefined;
  /**
   * Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the
   * scope `user`, and is recorded in the audit log.
   */
  resubscribe?: boolean | undefined;
}

export interface UpsertContactResponse {
  created: boolean;
  contact: Contact;
  /** What was not applied as requested, although the rest was. Otherwise absent. */
  notices?: Notice[];
}

export interface UpdateContactInput {
  email?: string | undefined;
  name?: string | undefined;
  /** Replaces all tags. Duplicates are removed. */
  tags?: string[] | undefined;
  /**
   * Merged into the existing properties. A null value removes the property. The contact may
   * then have 100 properties and 10000 bytes of JSON.
   */
  properties?: Record<string, string | number | boolean | null> | undefined;
  /**
   * Tags to add after the others. Not together with `tags`. The contact may then have 100
   * tags.
   */
  addTags?: string[] | undefined;
  /** Tags to remove, if the contact has them. Not together with `tags`. */
  removeTags?: string[] | undefined;
  /**
   * ID of the contact in another system, at most 128 characters, unique within the workspace.
   * Null removes it.
   */
  externalId?: string | null | undefined;
  /** Must be the stored value. */
  id?: string | undefined;
  /** Must be the stored value. */
  createdAt?: string | undefined;
  /**
   * `unsubscribed` unsubscribes the contact. `subscribed` leaves an unsubscribed contact as it
   * is, and the response has a notice: `/resubscribe` changes it.
   */
  status?: 'subscribed' | 'unsubscribed' | undefined;
  /** Ignored: `If-Match` makes a change depend on the version. */
  updatedAt?: string | undefined;
  /** Ignored: `If-Match` makes a change depend on the version. */
  version?: number | undefined;
  /**
   * Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the
   * scope `user`, and is recorded in the audit log.
   */
  resubscribe?: boolean | undefined;
}

export interface DeleteContactResponse {
  deleted: true;
  /** ID of the deleted contact, if the request named it by something else. */
  id?: string;
}

export interface BatchContactInput {
  /** Applied as if one after another. */
  operations: ({
    action: 'create';
    email: string;
    /** Defaults to `""`. */
    name?: string | undefined;
    /** Duplicates are removed. Order is preserved. */
    tags?: string[] | undefined;
    /** The contact may have 10000 bytes of JSON. Defaults to `{}`. */
    properties?: Record<string, string | number | boolean> | undefined;
    /** `subscribed` by default. */
    status?: 'subscribed' | 'unsubscribed' | undefined;
    /**
     * Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the
     * scope `user`, and is recorded in the audit log.
     */
    resubscribe?: boolean | undefined;
    /** ID of the contact in another system, at most 128 characters, unique within the workspace. */
    externalId?: string | null | undefined;
  } | {
    action: 'upsert';
    /**
     * Address of the contact, ignoring case. A contact with this address keeps its spelling.
     * Required unless `externalId` names an existing contact, whose address it changes.
     */
    email?: string | undefined;
    name?: string | undefined;
    /** Replaces all tags. Duplicates are removed. */
    tags?: string[] | undefined;
    /**
     * Merged into the existing properties. A null value removes the property. The contact may
     * then have 100 properties and 10000 bytes of JSON.
     */
    properties?: Record<string, string | number | boolean | null> | undefined;
    /**
     * Tags to add after the others. Not together with `tags`. The contact may then have 100
     * tags.
     */
    addTags?: string[] | undefined;
    /** Tags to remove, if the contact has them. Not together with `tags`. */
    removeTags?: string[] | undefined;
    /**
     * ID of the contact in another system. A contact that has it is updated; otherwise the one
     * with the address gets it, or the new one.
     */
    externalId?: string | null | undefined;
    /** Must be the stored value of an existing contact. Rejected for a new one. */
    id?: string | undefined;
    /** Must be the stored value of an existing contact. Rejected for a new one. */
    createdAt?: string | undefined;
    /**
     * Status of a new contact. `unsubscribed` unsubscribes an existing one. `subscribed` leaves
     * an unsubscribed contact as it is, and the response has a notice: `/resubscribe` changes
     * it.
     */
    status?: 'subscribed' | 'unsubscribed' | undefined;
    /** Ignored: `If-Match` makes a change depend on the version. */
    updatedAt?: string | undefined;
    /** Ignored: `If-Match` makes a change depend on the version. */
    version?: number | undefined;
    /**
     * Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the
     * scope `user`, and is recorded in the audit log.
     */
    resubscribe?: boolean | undefined;
  } | {
    action: 'update';
    email?: string | undefined;
    name?: string | undefined;
    /** Replaces all tags. Duplicates are removed. */
    tags?: string[] | undefined;
    /**
     * Merged into the existing properties. A null value removes the property. The contact may
     * then have 100 properties and 10000 bytes of JSON.
     */
    properties?: Record<string, string | number | boolean | null> | undefined;
    /**
     * Tags to add after the others. Not together with `tags`. The contact may then have 100
     * tags.
     */
    addTags?: string[] | undefined;
    /** Tags to remove, if the contact has them. Not together with `tags`. */
    removeTags?: string[] | undefined;
    /**
     * ID of the contact in another system, at most 128 characters, unique within the workspace.
     * Null removes it.
     */
    externalId?: string | null | undefined;
    /**
     * ID of the contact, `email:` and its email address, or `externalId:` and its ID in another
     * system.
     */
    id: string;
    /** Must be the stored value. */
    createdAt?: string | undefined;
    /**
     * `unsubscribed` unsubscribes the contact. `subscribed` leaves an unsubscribed contact as it
     * is, and the response has a notice: `/resubscribe` changes it.
     */
    status?: 'subscribed' | 'unsubscribed' | undefined;
    /** Ignored: `If-Match` makes a change depend on the version. */
    updatedAt?: string | undefined;
    /** Ignored: `If-Match` makes a change depend on the version. */
    version?: number | undefined;
    /**
     * Whether to subscribe the contact, also if it or its address has unsubscribed. Requires the
     * scope `user`, and is recorded in the audit log.
     */
    resubscribe?: boolean | undefined;
  } | {
    action: 'delete';
    /**
     * ID of the contact, `email:` and its email address, or `externalId:` and its ID in another
     * system.
     */
    id: string;
  })[];
  /** Whether one refused operation refuses the batch. False by default. */
  atomic?: boolean | undefined;
}

export interface ContactBatchResult {
  /** As of a request with this operation alone. */
  status: number;
  /** ID of the contact that was created, updated or deleted. */
  id?: string;
  problem?: ContactBatchProblem;
  /** What was not applied as requested, although the rest was. Otherwise absent. */
  notices?: Notice[];
}

export interface ContactBatchProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: 'conflict' | 'invalid' | 'limit_reached' | 'not_found' | 'quota_exceeded';
  errors?: {
    pointer: string;
    message: string;
  }[];
  existingId?: string;
}

export interface BatchContactResponse {
  results: ContactBatchResult[];
}

export interface CreateContactActionInput {
  /**
   * Which contacts, with the fields and conditions of a list: `{"tag": ["any:vip,customer"]}`.
   * `{}` means all contacts.
   */
  filter: {
    /** Email address, ignoring case. */
    email?: string | undefined;
    /** ID in another system, exactly. */
    externalId?: string | undefined;
    /**
     * Contacts with this tag, or `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`,
     * `missing`, `is:exists` for a tag of that name. Repeat it: contacts must match all. Without
     * a prefix, `tag=a,b` means the tag `a,b`.
     */
    tag?: string[] | undefined;
    /** Subscription status, or `not:` and a status. */
    status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed' | undefined;
    /**
     * Contacts whose property has exactly this value, as `city:Paris`, or `city:any:Paris,Rome`,
     * `city:none:Paris,Rome`, `city:not:Paris`, `city:exists`, `city:missing`,
     * `since:gte:2026-01-01` (`gt`, `gte`, `lt`, `lte`). With several conditions, also on one
     * property, as `age:gte:18` and `age:lt:65`, all must match.
     */
    property?: Record<string, string | string[]> | undefined;
    /** Contacts created after this time. */
    createdAfter?: string | undefined;
    /** Contacts created before this time. */
    createdBefore?: string | undefined;
    /**
     * Contacts created or changed after this time, which is exact to the microsecond. With
     * `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen
     * misses no change.
     */
    updatedAfter?: string | undefined;
    /** Contacts created or last changed before this time. */
    updatedBefore?: string | undefined;
    /**
     * Contacts whose email address contains this text (with fewer than three characters: begins
     * with it), or whose name has words that begin with all of its words. Case is ignored.
     */
    q?: string | undefined;
  };
  /** Only these contacts, if they match. Unknown IDs are ignored. */
  contactIds?: string[] | undefined;
  /** What is done with each contact: one field at least. */
  change: {
    /** Tags to add after the others. A contact may then have 100 tags. */
    addTags?: string[] | undefined;
    /** Tags to remove from contacts that have them. */
    removeTags?: string[] | undefined;
    /** Unsubscribes the contacts. */
    status?: 'unsubscribed' | undefined;
    /**
     * Merged into the existing properties. A null value removes the property. The contact may
     * then have 100 properties and 10000 bytes of JSON.
     */
    properties?: Record<string, string | number | boolean | null> | undefined;
    /** Deletes the contacts. Without any other field. */
    delete?: true | undefined;
  };
  /** Count the outcomes without changing contacts. Defaults to `false`. */
  dryRun?: boolean | undefined;
}

export interface ContactAction {
  id: string;
  status: 'queued' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** As it was given. */
  filter: Record<string, unknown>;
  /** As it was given. */
  change: Record<string, unknown>;
  dryRun: boolean;
  /**
   * Number of contacts of the workspace, or of those that were named, when the action was
   * created.
   */
  total: number;
  /** Number of contacts that were examined: of `total`, unless some were deleted meanwhile. */
  examined: number;
  /** Number of contacts that match, of those that were examined. */
  matched: number;
  /** Number of contacts that were changed, or deleted. */
  changed: number;
  /** Number of contacts that were already as the change makes them. */
  unchanged: number;
  /** Number of contacts that were refused, and left as they were. */
  failed: number;
  /** The first contacts that were refused, with the reasons. */
  failures: {
    contactId: string;
    message: string;
  }[];
  /** Why an action with the status `failed` failed. Otherwise null. */
  reason: string | null;
  createdAt: string;
  /** Null until the action has ended. */
  endedAt: string | null;
}

export interface ListContactActionsInput {
  /**
   * Maximum number of actions to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface ContactActionPage {
  actions: ContactAction[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface ListContactPropertiesInput {
  /**
   * Maximum number of contact properties to return; 1000 by default. Greater values are
   * reduced to it.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface ContactPropertyListed {
  id: string;
  name: string;
  label: string;
  type: 'string' | 'number' | 'boolean' | 'date';
  createdAt: string;
}

export interface ContactPropertyPage {
  properties: ContactPropertyListed[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface ContactProperty {
  id: string;
  name: string;
  label: string;
  type: 'string' | 'number' | 'boolean' | 'date';
  createdAt: string;
  description?: string;
}

export interface PropertyContactsValuesInput {
  /** Name of the property. */
  property: string;
  /** Only values that begin with this text, in the same case. */
  prefix?: string | undefined;
}

export interface PropertyValue {
  value: string;
  /** Number of contacts with it, of those that were read. */
  contacts: number;
}

export interface GetContactPropertyValuesResponse {
  /** The most frequent first. */
  values: PropertyValue[];
}

export interface CreateContactPropertyInput {
  name: string;
  label: string;
  /**
   * Type of the values: `number` is a finite double, `date` a string `YYYY-MM-DD`, a day of
   * the calendar. Defaults to `"string"`.
   */
  type?: 'string' | 'number' | 'boolean' | 'date' | undefined;
  description?: string | undefined;
}

export interface UpdateContactPropertyInput {
  label?: string | undefined;
  description?: string | undefined;
  /**
   * Changed only if no value contradicts. Values are converted as an import reads them, at
   * most 5000, each with an event of its contact.
   */
  type?: 'string' | 'number' | 'boolean' | 'date' | undefined;
  /** Whether to change nothing, and answer what `type` would do. */
  dryRun?: boolean | undefined;
}

export interface PropertyTypeChange {
  /** Number of contacts with the property. */
  values: number;
  /**
   * Number of values that are written in the other form. Of more than 5000, the type is not
   * changed.
   */
  converted: number;
  /** Number of values that are not of the type. */
  contradicting: number;
  /** IDs of some contacts with such values. */
  contacts: string[];
  /**
   * In the answer to a dry run: why the type would not be changed, as the refusal would say.
   * Otherwise null.
   */
  refusal: string | null;
}

export interface UpdateContactPropertyResponse {
  property: ContactProperty;
  /** Present with another `type` than the property has. */
  change?: PropertyTypeChange;
}

export interface DeleteContactPropertyResponse {
  deleted: true;
}

export interface ListTagsInput {
  /** Maximum number of tags to return. Values above 100 are reduced to 100. Defaults to `50`. */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
  /** Only tags that begin with this text, in the same case. */
  prefix?: string | undefined;
}

export interface Tag {
  name: string;
  /** Number of contacts with the tag. */
  contacts: number;
}

export interface TagPage {
  tags: Tag[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface RenameTagInput {
  /** New name. If contacts have a tag of this name, both become one. */
  name: string;
  /** Count the contacts without changing them. Defaults to `false`. */
  dryRun?: boolean | undefined;
}

export interface DeleteTagInput {
  /** Count the contacts without changing them. Defaults to `false`. */
  dryRun?: boolean | undefined;
}

export interface Settings {
  /**
   * Whether contacts with a property name that has no definition are rejected. Otherwise the
   * name is defined.
   */
  strictProperties: boolean;
}

export interface UpdateSettingInput {
  /**
   * Whether contacts with a property name that has no definition are rejected. Otherwise the
   * name is defined.
   */
  strictProperties?: boolean | undefined;
}

export interface CreateImportInput {
  format?: 'csv' | 'ndjson' | undefined;
  /**
   * Whether existing contacts are updated (`upsert`) or left unchanged (`skip`). Defaults to
   * `"upsert"`.
   */
  mode?: 'upsert' | 'skip' | undefined;
  /** Check all rows and count the outcomes without changing contacts. Defaults to `false`. */
  dryRun?: boolean | undefined;
  /**
   * Whether each contact that is created or changed causes an event (`each`), or only the end
   * of the import, IMPORT_ENDED, which every import causes (`summary`). Defaults to `"each"`.
   */
  events?: 'each' | 'summary' | undefined;
  /** Fields of columns, as `E-mail:email`. An empty field (`Note:`) ignores its column. */
  map?: Record<string, string> | undefined;
  /**
   * What separates the columns of CSV: a comma, a semicolon, a tab (`%09`) or `|`. Found from
   * the first row by default.
   */
  delimiter?: ',' | ';' | '\t' | '|' | undefined;
  /** Name of the file, which is shown with the import. */
  fileName?: string | undefined;
  /**
   * Whether to subscribe the contacts of all rows without the status `unsubscribed`, also if
   * they or their addresses have unsubscribed.
   */
  resubscribe?: boolean | undefined;
}

export interface Import {
  id: string;
  status: 'uploading' | 'queued' | 'running' | 'completed' | 'cancelled' | 'failed';
  format: 'csv' | 'ndjson';
  mode: 'upsert' | 'skip';
  events: 'each' | 'summary';
  dryRun: boolean;
  /** Number of rows received. */
  total: number;
  /** Number of rows handled. */
  done: number;
  /** Number of contacts created. */
  created: number;
  /** Number of existing contacts updated. */
  updated: number;
  /** Number of existing contacts left unchanged by the mode `skip`. */
  skipped: number;
  /** Number of rows that were refused. */
  failed: number;
  /**
   * Number of rows that were imported, but not in all as requested: see their lines in the
   * errors.
   */
  notices?: number;
  /** Why an import with the status `failed` failed. Otherwise null. */
  reason: string | null;
  /** Name of the file, if it was given with the import. */
  fileName: string | null;
  createdAt: string;
  /** Null until the import has ended. */
  endedAt: string | null;
}

export interface PreviewImportsInput {
  format?: 'csv' | 'ndjson' | undefined;
  /**
   * Whether existing contacts are updated (`upsert`) or left unchanged (`skip`). Defaults to
   * `"upsert"`.
   */
  mode?: 'upsert' | 'skip' | undefined;
  /** Check all rows and count the outcomes without changing contacts. Defaults to `false`. */
  dryRun?: boolean | undefined;
  /**
   * Whether each contact that is created or changed causes an event (`each`), or only the end
   * of the import, IMPORT_ENDED, which every import causes (`summary`). Defaults to `"each"`.
   */
  events?: 'each' | 'summary' | undefined;
  /** Fields of columns, as `E-mail:email`. An empty field (`Note:`) ignores its column. */
  map?: Record<string, string> | undefined;
  /**
   * What separates the columns of CSV: a comma, a semicolon, a tab (`%09`) or `|`. Found from
   * the first row by default.
   */
  delimiter?: ',' | ';' | '\t' | '|' | undefined;
  /** Name of the file, which is shown with the import. */
  fileName?: string | undefined;
  /**
   * Whether to subscribe the contacts of all rows without the status `unsubscribed`, also if
   * they or their addresses have unsubscribed.
   */
  resubscribe?: boolean | undefined;
}

export interface ImportPreview {
  format: 'csv' | 'ndjson';
  /** Of CSV: what separates its columns. */
  delimiter?: ',' | ';' | '\t' | '|';
  /** Of CSV: its columns, in their order. */
  columns?: ({
    name: string;
    /**
     * The field that it is imported into, as `map` names it: `email`, `name`, `tags`, `addTags`,
     * `removeTags`, `status`, `unsubscribed`, `externalId` or `properties.city`. Null if it is
     * not imported.
     */
    field: string | null;
    /** Why it must be mapped or renamed, because imports refuse the file otherwise. */
    problem: string | null;
    /** Its first values that are not empty, up to 100 characters of each. */
    values: string[];
  })[];
  /**
   * The errors with which an import with these parameters is refused. Without any, `rows` are
   * those that it would read.
   */
  errors: {
    pointer: string;
    message: string;
  }[];
  rows: ({
    /** Number of the row in the file, as in its errors. */
    row: number;
    /**
     * The fields of the row, with values of the types of their properties. Null for a row that
     * cannot be divided into fields.
     */
    contact: Record<string, unknown> | null;
    /** Why the row would be refused, and notices, as in a dry run. */
    errors: ({
      pointer: string;
      code: 'conflict' | 'invalid' | 'invalid_json' | 'limit_reached' | 'malformed' | 'quota_exceeded' | 'not_resubscribed' | 'suppressed';
      message: string;
    })[];
  })[];
}

export interface ListImportsInput {
  /**
   * Maximum number of imports to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface ImportPage {
  imports: Import[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface ListImportsErrorsInput {
  /** Only errors of rows after this one. */
  after?: number | undefined;
}

export interface ListSuppressionsInput {
  /**
   * Maximum number of suppressions to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
  /** Only the suppression of this address: addresses are not stored. */
  email?: string | undefined;
}

export interface Suppression {
  id: string;
  /** `unsubscribed` also if a contact with the address unsubscribed. */
  reason: 'unsubscribed' | 'bounced' | 'complained' | 'manual';
  createdAt: string;
}

export interface SuppressionPage {
  suppressions: Suppression[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface CreateSuppressionInput {
  email: string;
  /** A suppression that exists keeps its own. Defaults to `"manual"`. */
  reason?: 'unsubscribed' | 'bounced' | 'complained' | 'manual' | undefined;
}

export interface CreateSuppressionResponse {
  /** Whether the address was not suppressed before. */
  created: boolean;
  suppression: Suppression;
}

export interface DeleteSuppressionResponse {
  deleted: true;
}

export interface DeleteSuppressionByEmailInput {
  email: string;
}

export interface DeleteSuppressionByEmailResponse {
  /** Whether there was one. */
  existed: boolean;
}

export interface ImportSuppressionInput {
  emails: string[];
  /** Suppressions that exist keep theirs. Defaults to `"manual"`. */
  reason?: 'unsubscribed' | 'bounced' | 'complained' | 'manual' | undefined;
}

export interface SuppressionRefusal {
  /** Position in `emails`, from 0. */
  index: number;
  message: string;
}

export interface ImportSuppressionResponse {
  /** Number of addresses that were not suppressed before. */
  created: number;
  /** Number of those that were. */
  known: number;
  /** What is not an address. It refuses no other. */
  refused: SuppressionRefusal[];
}

export interface EraseContactInput {
  /**
   * An address that the contact had. Required for one that a batch or an action has deleted,
   * which is named by its ID.
   */
  email?: string | undefined;
}

export interface Erasure {
  id: string;
  contactId: string;
  status: 'queued' | 'running' | 'completed';
  /**
   * What is being erased: `events` of the event log, `deliveries`, or `records` of requests,
   * imports and actions. Null when all is.
   */
  step: 'events' | 'deliveries' | 'records' | null;
  /** Number of events that were removed from the event log. */
  events: number;
  /** Number of deliveries that were emptied. */
  deliveries: number;
  /** Number of other records that were emptied. */
  records: number;
  createdAt: string;
  /** Null until all is erased. */
  endedAt: string | null;
}

export interface User {
  id: string;
  email: string;
  name: string;
  createdAt: string;
  lastAccessedAt: string;
}

export interface ListUsersInput {
  /** Maximum number of users to return. Values above 100 are reduced to 100. Defaults to `50`. */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface UserPage {
  users: User[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface CreateUserInput {
  email: string;
  name: string;
}

export interface UpdateMeInput {
  name?: string | undefined;
}

export interface DeleteUserResponse {
  deleted: true;
}

export interface ListApiKeysInput {
  /**
   * Maximum number of API keys to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface ApiKey {
  id: string;
  /** First characters of the secret; null if they were not recorded. */
  prefix: string | null;
  name: string;
  scopes: ('api_user' | 'user')[];
  userId: string;
  createdAt: string;
  expiresAt: string | null;
  /** Recorded about once a minute. */
  lastUsedAt: string | null;
  /** Address of that use. */
  lastUsedIp: string | null;
  /** Who may sign in to the console with OpenID Connect, as the key. */
  signInEmail?: string | null;
}

export interface ApiKeyPage {
  apiKeys: ApiKey[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface CreateApiKeyInput {
  name: string;
  /** At most those of the key that the request is sent with. */
  scopes: ('api_user' | 'user')[];
  /**
   * In the future, and not later than the expiry of the key that the request is sent with,
   * which is the default.
   */
  expiresAt?: string | undefined;
  /** A user of the workspace. Defaults to the authenticated user. */
  userId?: string | undefined;
}

export interface CreateApiKeyResponse {
  apiKey: ApiKey;
  /** Returned only once; only its hash is stored. */
  secret: string;
}

export interface RotateApiKeyInput {
  /** How long the previous secret remains valid. Defaults to `86400`. */
  overlapSeconds?: number | undefined;
}

export interface RotateApiKeyResponse {
  apiKey: ApiKey;
  /** Returned only once; only its hash is stored. */
  secret: string;
}

export interface SetApiKeySignInInput {
  /** The address that the identity provider has verified. Without it, nobody may sign in. */
  email?: string | undefined;
}

export interface DeleteApiKeyResponse {
  deleted: true;
}

export interface CurrentKey {
  /** Of the session, for its tokens: `ses_…`. */
  id: string;
  name: string;
  /** Those of the browser token, if it has fewer. */
  scopes: ('api_user' | 'user')[];
  workspace: {
    id: string;
    name: string;
  };
  /** The user that the API key belongs to. */
  user: {
    id: string;
    name: string;
  };
  createdAt: string;
  /** Of the API key, also for a browser token; null without an expiry. */
  expiresAt: string | null;
  /** What the browser token allows; null for an API key. */
  token: {
    readOnly: boolean;
    operations: string[] | null;
  } | null;
}

export interface CreateTokenInput {
  /** Scopes of the API key that the token has. By default all of them. */
  scopes?: ('api_user' | 'user')[] | undefined;
  /** Whether the token can only read. Defaults to `false`. */
  readOnly?: boolean | undefined;
  /**
   * Names of the only operations that the token can call, such as `contacts.list`; `events`
   * and `activity` allow the subscriptions. By default all operations of its scopes, except
   * those that return a secret, users or the audit log.
   */
  operations?: string[] | undefined;
  /** Defaults to `900`. */
  expiresInSeconds?: number | undefined;
}

export interface Token {
  /** Sent like an API key, as `Authorization: Bearer rst_…`. It is not stored. */
  secret: string;
  expiresAt: string;
  scopes: ('api_user' | 'user')[];
  readOnly: boolean;
  operations: string[] | null;
}

export interface CreateSessionLinkInput {
  /** Defaults to `300`. */
  expiresInSeconds?: number | undefined;
}

export interface SessionLink {
  /** Returned only once; only its hash is stored. */
  secret: string;
  /** To be appended to the address of this installation and a slash. */
  path: string;
  expiresAt: string;
}

export interface ListSessionsInput {
  /**
   * Maximum number of sessions to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface Session {
  id: string;
  /** The user who signed in. */
  user: {
    id: string;
    name: string;
  };
  /** The API key that it was opened with. The session ends with it. */
  keyId: string;
  createdAt: string;
  expiresAt: string;
  /** Recorded every few minutes. */
  lastUsedAt: string;
  /** Address of that use. */
  address: string | null;
  /** The browser that signed in. */
  userAgent: string | null;
  /** Whether the request is sent from it. */
  isCurrent: boolean;
}

export interface SessionPage {
  sessions: Session[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface DeleteSessionResponse {
  deleted: true;
}

export interface CreateExportLinkInput {
  /** Format of the file: CSV, or a JSON object per line. Defaults to `"csv"`. */
  format?: 'csv' | 'ndjson' | undefined;
  /** Email address, ignoring case. */
  email?: string | undefined;
  /** ID in another system, exactly. */
  externalId?: string | undefined;
  /**
   * Contacts with this tag, or `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`,
   * `missing`, `is:exists` for a tag of that name. Repeat it: contacts must match all. Without
   * a prefix, `tag=a,b` means the tag `a,b`.
   */
  tag?: string[] | undefined;
  /** Subscription status, or `not:` and a status. */
  status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed' | undefined;
  /**
   * Contacts whose property has exactly this value, as `city:Paris`, or `city:any:Paris,Rome`,
   * `city:none:Paris,Rome`, `city:not:Paris`, `city:exists`, `city:missing`,
   * `since:gte:2026-01-01` (`gt`, `gte`, `lt`, `lte`). With several conditions, also on one
   * property, as `age:gte:18` and `age:lt:65`, all must match.
   */
  property?: Record<string, string | string[]> | undefined;
  /** Contacts created after this time. */
  createdAfter?: string | undefined;
  /** Contacts created before this time. */
  createdBefore?: string | undefined;
  /**
   * Contacts created or changed after this time, which is exact to the microsecond. With
   * `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen
   * misses no change.
   */
  updatedAfter?: string | undefined;
  /** Contacts created or last changed before this time. */
  updatedBefore?: string | undefined;
  /**
   * Contacts whose email address contains this text (with fewer than three characters: begins
   * with it), or whose name has words that begin with all of its words. Case is ignored.
   */
  q?: string | undefined;
}

export interface ExportLink {
  /** Returned only once; only its hash is stored. */
  secret: string;
  /** To be appended to the address of this installation and a slash. */
  path: string;
  /** An export that has begun may end later. */
  expiresAt: string;
}

export interface ListAuditLogInput {
  /**
   * Maximum number of entries to return. Values above 100 are reduced to 100. Defaults to
   * `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
  /** Only entries with this action. */
  action?: 'user.created' | 'user.updated' | 'user.deleted' | 'api_key.created' | 'api_key.rotated' | 'api_key.sign_in_updated' | 'api_key.deleted' | 'token.created' | 'origins.updated' | 'session_link.created' | 'session.created' | 'session.deleted' | 'workspace.updated' | 'workspace.suspended' | 'workspace.resumed' | 'webhook.created' | 'webhook.updated' | 'webhook.enabled' | 'webhook.disabled' | 'webhook.deleted' | 'webhook.token_rotated' | 'webhook.token_read' | 'settings.updated' | 'import.created' | 'import.cancelled' | 'contact_action.created' | 'contact_action.cancelled' | 'contact.deleted' | 'contact.erased' | 'contact.resubscribed' | 'contact_property.deleted' | 'contacts.batch_applied' | 'contacts.exported' | 'suppression.created' | 'suppression.deleted' | 'suppressions.imported' | 'replay.created' | 'replay.cancelled' | 'delivery.retried' | undefined;
  /** Only entries of this user. */
  actor?: string | undefined;
  /** Only entries at or after this time. */
  since?: string | undefined;
}

export interface AuditEntry {
  id: string;
  action: string;
  /** The user who did it; null for an operator and for the system. */
  actor: string | null;
  /** `system`: a change without a request, such as disabling a webhook that fails. */
  actorType: 'user' | 'operator' | 'system';
  /** The API key of the request, or the session of the console. */
  keyId: string | null;
  /** Address of the client, if known. */
  address: string | null;
  requestId: string;
  /** ID of the resource that it concerns. */
  resourceId: string;
  /** The state before the change, without secrets. */
  before: Record<string, unknown> | null;
  /** The state after the change, without secrets. */
  after: Record<string, unknown> | null;
  createdAt: string;
  /**
   * The present name of the user who did it; null for a deleted user, an operator and the
   * system.
   */
  actorName: string | null;
}

export interface AuditLogPage {
  entries: AuditEntry[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface GetWorkspaceOriginsResponse {
  /** In alphabetical order. */
  origins: string[];
}

export interface SetWorkspaceOriginsInput {
  /** All origins of the workspace. Duplicates are removed. */
  origins: string[];
}

export interface SetWorkspaceOriginsResponse {
  /** In alphabetical order. */
  origins: string[];
}

export interface GetUsageInput {
  /** First day. Defaults to 29 days before `to`. */
  from?: string | undefined;
  /** Last day, at most 91 days after `from`. Defaults to the current day. */
  to?: string | undefined;
}

export interface UsageDay {
  /** The day, in UTC. */
  day: string;
  /** Requests, as rate limits count them: a batch is one for every 10 operations. */
  requests: number;
  /**
   * Contacts that there were at the end of the day, or are now. Null if they were not counted
   * on that day.
   */
  contacts: number | null;
  deliveries: UsageDeliveries;
}

export interface UsageDeliveries {
  /** Attempts that began on the day, except tests. */
  attempts: number;
  /** Of these, those that receivers accepted. */
  succeeded: number;
  failed: number;
}

export interface GetUsageResponse {
  /** Oldest first. Without days to come, and those of more than 400 days ago. */
  usage: UsageDay[];
}

export interface WebhookListed {
  id: string;
  /** What the webhook is for, in the words of its owner. */
  description?: string | null;
  url: string;
  /** Event kinds as stored; `*` for all. Unknown kinds never match. */
  events: (EventKind | (string & {}))[];
  /**
   * Fields of `data` in deliveries. `compact`: `id`, `email`, `name` and `createdAt` of a
   * contact. `full`: also its `tags`, `properties` and `status`, and what changed.
   */
  payload: 'compact' | 'full';
  /** Names of its own headers. Their values are not returned. */
  headerNames?: string[];
  /**
   * Maximum number of attempts per second, of all kinds of deliveries together. Null, the
   * default, is no maximum of its own. Further deliveries wait.
   */
  ratePerSecond?: number | null;
  /**
   * Only events of contacts that match all of it. Events without a contact do not match. Null,
   * the default, is all events.
   */
  filter?: {
    /**
     * Only events that changed one of these fields: `email`, `name`, `tags`, `status`,
     * `properties`, `properties.NAME`.
     */
    changed?: string[];
    /**
     * Conditions on the tags, all of which must match: `vip`, `any:vip,customer`, `none:a,b`,
     * `exists`, `missing`.
     */
    tag?: string[];
    /** Condition on the status: `subscribed` or `not:subscribed`. */
    status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed';
    /**
     * Conditions on properties by name: `{"city": "any:Paris,London", "age": ["gte:18",
     * "lt:65"]}`. All of them must match.
     */
    property?: Record<string, string | string[]>;
  } | null;
  /**
   * Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the
   * event was traced. False by default.
   */
  traceContext?: boolean;
  createdAt: string;
  /**
   * `failing`: every attempt since the last success failed. `disabled`: no deliveries are sent
   * until the webhook is enabled.
   */
  status: 'active' | 'failing' | 'disabled';
  disabledReason: string | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
}

export type EventKind = 'CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING';

export interface WebhookPage {
  webhooks: WebhookListed[];
}

export interface Webhook {
  id: string;
  /** What the webhook is for, in the words of its owner. */
  description?: string | null;
  url: string;
  /** Event kinds as stored; `*` for all. Unknown kinds never match. */
  events: (EventKind | (string & {}))[];
  /**
   * Fields of `data` in deliveries. `compact`: `id`, `email`, `name` and `createdAt` of a
   * contact. `full`: also its `tags`, `properties` and `status`, and what changed.
   */
  payload: 'compact' | 'full';
  /** Names of its own headers. Their values are not returned. */
  headerNames?: string[];
  /**
   * Maximum number of attempts per second, of all kinds of deliveries together. Null, the
   * default, is no maximum of its own. Further deliveries wait.
   */
  ratePerSecond?: number | null;
  /**
   * Only events of contacts that match all of it. Events without a contact do not match. Null,
   * the default, is all events.
   */
  filter?: {
    /**
     * Only events that changed one of these fields: `email`, `name`, `tags`, `status`,
     * `properties`, `properties.NAME`.
     */
    changed?: string[];
    /**
     * Conditions on the tags, all of which must match: `vip`, `any:vip,customer`, `none:a,b`,
     * `exists`, `missing`.
     */
    tag?: string[];
    /** Condition on the status: `subscribed` or `not:subscribed`. */
    status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed';
    /**
     * Conditions on properties by name: `{"city": "any:Paris,London", "age": ["gte:18",
     * "lt:65"]}`. All of them must match.
     */
    property?: Record<string, string | string[]>;
  } | null;
  /**
   * Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the
   * event was traced. False by default.
   */
  traceContext?: boolean;
  createdAt: string;
  /**
   * `failing`: every attempt since the last success failed. `disabled`: no deliveries are sent
   * until the webhook is enabled.
   */
  status: 'active' | 'failing' | 'disabled';
  disabledReason: string | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  /** Key of `X-Roster-Signature`. */
  token: string;
  /**
   * The token as the libraries of Standard Webhooks take it: `whsec_` and the base64 of its
   * bytes.
   */
  signingSecret: string;
}

export interface CreateWebhookInput {
  /**
   * Address as browsers read it (URL Standard): `http` or `https`, without credentials and
   * fragment.
   */
  url: string;
  /** Kinds, or only `*`: all kinds, also those that later releases add. */
  events: ('CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING' | '*')[];
  /** Stored as given. Defaults to a generated token with the prefix `wht_`. */
  token?: string | undefined;
  /**
   * Fields of `data` in deliveries. `compact`: `id`, `email`, `name` and `createdAt` of a
   * contact. `full`: also its `tags`, `properties` and `status`, and what changed.
   */
  payload?: 'compact' | 'full' | undefined;
  /** What the webhook is for, in the words of its owner. */
  description?: string | null | undefined;
  /**
   * Further headers of its deliveries, such as `Authorization`. At most 10, with at most 4,096
   * characters together. Stored encrypted; responses contain their names only.
   */
  headers?: Record<string, string> | undefined;
  /**
   * Maximum number of attempts per second, of all kinds of deliveries together. Null, the
   * default, is no maximum of its own. Further deliveries wait.
   */
  ratePerSecond?: number | null | undefined;
  /**
   * Only events of contacts that match all of it. Events without a contact do not match. Null,
   * the default, is all events.
   */
  filter?: {
    /**
     * Only events that changed one of these fields: `email`, `name`, `tags`, `status`,
     * `properties`, `properties.NAME`.
     */
    changed?: string[] | undefined;
    /**
     * Conditions on the tags, all of which must match: `vip`, `any:vip,customer`, `none:a,b`,
     * `exists`, `missing`.
     */
    tag?: string[] | undefined;
    /** Condition on the status: `subscribed` or `not:subscribed`. */
    status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed' | undefined;
    /**
     * Conditions on properties by name: `{"city": "any:Paris,London", "age": ["gte:18",
     * "lt:65"]}`. All of them must match.
     */
    property?: Record<string, string | string[]> | undefined;
  } | null | undefined;
  /**
   * Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the
   * event was traced. False by default.
   */
  traceContext?: boolean | undefined;
}

export interface UpdateWebhookInput {
  /**
   * Address as browsers read it (URL Standard): `http` or `https`, without credentials and
   * fragment.
   */
  url?: string | undefined;
  /** Kinds, or only `*`: all kinds, also those that later releases add. */
  events?: ('CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING' | '*')[] | undefined;
  /**
   * Fields of `data` in deliveries. `compact`: `id`, `email`, `name` and `createdAt` of a
   * contact. `full`: also its `tags`, `properties` and `status`, and what changed.
   */
  payload?: 'compact' | 'full' | undefined;
  /** What the webhook is for, in the words of its owner. */
  description?: string | null | undefined;
  /**
   * Headers to set, or to remove with null. The others stay. Applies to pending deliveries
   * too.
   */
  headers?: Record<string, string | null> | undefined;
  /**
   * Maximum number of attempts per second, of all kinds of deliveries together. Null, the
   * default, is no maximum of its own. Further deliveries wait.
   */
  ratePerSecond?: number | null | undefined;
  /**
   * Only events of contacts that match all of it. Events without a contact do not match. Null,
   * the default, is all events.
   */
  filter?: {
    /**
     * Only events that changed one of these fields: `email`, `name`, `tags`, `status`,
     * `properties`, `properties.NAME`.
     */
    changed?: string[] | undefined;
    /**
     * Conditions on the tags, all of which must match: `vip`, `any:vip,customer`, `none:a,b`,
     * `exists`, `missing`.
     */
    tag?: string[] | undefined;
    /** Condition on the status: `subscribed` or `not:subscribed`. */
    status?: 'subscribed' | 'unsubscribed' | 'not:subscribed' | 'not:unsubscribed' | undefined;
    /**
     * Conditions on properties by name: `{"city": "any:Paris,London", "age": ["gte:18",
     * "lt:65"]}`. All of them must match.
     */
    property?: Record<string, string | string[]> | undefined;
  } | null | undefined;
  /**
   * Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the
   * event was traced. False by default.
   */
  traceContext?: boolean | undefined;
}

export interface DeleteWebhookResponse {
  deleted: true;
}

export interface RotateWebhookTokenInput {
  /** Stored as given. Defaults to a generated token with the prefix `wht_`. */
  token?: string | undefined;
  /** How long deliveries are also signed with the previous token. Defaults to `86400`. */
  overlapSeconds?: number | undefined;
}

export interface ListDeliveriesInput {
  status?: 'pending' | 'delivered' | 'dead' | 'skipped' | undefined;
  kind?: 'CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING' | undefined;
  /**
   * Only deliveries whose last attempt was answered with this HTTP status, such as `404`, or
   * one of its class, such as `4xx`. `none`: without a response.
   */
  statusCode?: string | undefined;
  /** Only deliveries of events about this contact. */
  contactId?: string | undefined;
  /** Only deliveries of events at or after this time. */
  since?: string | undefined;
  /** Only deliveries of events before this time. */
  until?: string | undefined;
  /**
   * Maximum number of deliveries to return. Values above 100 are reduced to 100. With a filter
   * other than the time, a page may contain fewer deliveries, or none, although further pages
   * follow. Defaults to `50`.
   */
  limit?: number | undefined;
  /** Cursor: only deliveries older than this one. */
  after?: string | undefined;
  /** Cursor: only deliveries newer than this one. */
  before?: string | undefined;
  /**
   * End of the list from which the page is taken. The page itself is always ordered newest
   * first. Defaults to `"newest"`.
   */
  from?: 'newest' | 'oldest' | undefined;
}

export interface DeliveryListed {
  id: string;
  webhookId: string;
  eventId: string;
  kind: string;
  status: 'pending' | 'delivered' | 'dead' | 'skipped';
  /** Why the delivery is dead or was skipped. */
  reason: string | null;
  attemptCount: number;
  createdAt: string;
  completedAt: string | null;
  /** Null when no further attempt is scheduled, or while the webhook is disabled. */
  nextAttemptAt: string | null;
  /** The contact that the event is about, as it was then. Null for events of other kinds. */
  subject: DeliverySubject | null;
  /** HTTP status of the last attempt. Null if there was none, or no response. */
  lastStatusCode: number | null;
  /** Why the last attempt failed. Null if there was none, or if it succeeded. */
  lastError: string | null;
  /** Duration of the last attempt. */
  lastTotalMs: number | null;
}

export interface DeliverySubject {
  contactId: string;
  email: string;
}

export interface DeliveryPage {
  deliveries: DeliveryListed[];
  pagination: {
    limit: number;
    /** Cursor of the next page, for `after`; null on the last page. */
    next: string | null;
    /** Cursor of the previous page, for `before` with `from=oldest`; null on the first page. */
    previous: string | null;
  };
}

export interface ListWorkspaceDeliveriesInput {
  /** Only deliveries to this webhook, also if it was deleted. */
  webhookId?: string | undefined;
  /** Only deliveries with one of these statuses. */
  status?: ('pending' | 'delivered' | 'dead' | 'skipped')[] | undefined;
  /** Only deliveries of events of these kinds. */
  kind?: ('CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING')[] | undefined;
  /**
   * Only deliveries whose last attempt was answered with this HTTP status, such as `404`, or
   * one of its class, such as `4xx`. `none`: without a response.
   */
  statusCode?: string | undefined;
  /** Only deliveries of events about this contact. */
  contactId?: string | undefined;
  /** Only deliveries of events at or after this time. */
  since?: string | undefined;
  /** Only deliveries of events before this time. */
  until?: string | undefined;
  /**
   * Whether to count the deliveries by status. The totals are of all deliveries that match the
   * filters other than `status`. Defaults to `false`.
   */
  totals?: boolean | undefined;
  /**
   * Maximum number of deliveries to return. Values above 100 are reduced to 100. With a filter
   * other than the time, a page may contain fewer deliveries, or none, although further pages
   * follow. Defaults to `50`.
   */
  limit?: number | undefined;
  /** Cursor: only deliveries older than this one. */
  after?: string | undefined;
  /** Cursor: only deliveries newer than this one. */
  before?: string | undefined;
  /**
   * End of the list from which the page is taken. The page itself is always ordered newest
   * first. Defaults to `"newest"`.
   */
  from?: 'newest' | 'oldest' | undefined;
}

export interface DeliveryTotals {
  pending: number;
  delivered: number;
  dead: number;
  skipped: number;
  /**
   * Whether there are more deliveries than are counted: the newest 10,000, and the newest
   * 10,000 that are not delivered; with `statusCode` or `contactId`, 1,000. The numbers are
   * then at least these.
   */
  isEstimate: boolean;
}

export interface WorkspaceDeliveryPage {
  deliveries: DeliveryListed[];
  /** Null unless requested with `totals`. */
  totals: DeliveryTotals | null;
  pagination: {
    limit: number;
    /** Cursor of the next page, for `after`; null on the last page. */
    next: string | null;
    /** Cursor of the previous page, for `before` with `from=oldest`; null on the first page. */
    previous: string | null;
  };
}

export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  kind: string;
  status: 'pending' | 'delivered' | 'dead' | 'skipped';
  /** Why the delivery is dead or was skipped. */
  reason: string | null;
  attemptCount: number;
  createdAt: string;
  completedAt: string | null;
  /** Null when no further attempt is scheduled, or while the webhook is disabled. */
  nextAttemptAt: string | null;
  /** The contact that the event is about, as it was then. Null for events of other kinds. */
  subject: DeliverySubject | null;
  /** HTTP status of the last attempt. Null if there was none, or no response. */
  lastStatusCode: number | null;
  /** Why the last attempt failed. Null if there was none, or if it succeeded. */
  lastError: string | null;
  /** Duration of the last attempt. */
  lastTotalMs: number | null;
  /** Request body, as sent. */
  payload: Record<string, unknown>;
  attempts: Attempt[];
}

export interface Attempt {
  number: number;
  trigger: 'event' | 'retry' | 'manual' | 'replay' | 'test';
  startedAt: string;
  /** IP address that the request was sent to. */
  address: string | null;
  statusCode: number | null;
  errorClass: string | null;
  /** Human-readable error message. */
  error: string | null;
  /** Null when the connection was reused. */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
  responseHeaders: Record<string, string>;
  /** First 4 KiB of the response body. */
  responseBody: string;
  /** ID of the trace of the request that caused the event, if it was traced. */
  traceId?: string | null;
}

export interface TestWebhookInput {
  kind: 'CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING';
}

export interface WebhookHour {
  /** Start of the hour. */
  hour: string;
  attempts: number;
  successes: number;
  failures: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface GetWebhookStatsResponse {
  hours: WebhookHour[];
}

export interface GetWebhookHealthInput {
  /**
   * IDs of the webhooks. Repeat it for several. Defaults to those with recent attempts: the
   * oldest 100.
   */
  webhookIds?: string[] | undefined;
  /**
   * Begins with the hour of this time, at most 7 days ago. Defaults to 24 hours before
   * `until`.
   */
  since?: string | undefined;
  /** Ends before the hour of this time. Defaults to the current time, inclusive. */
  until?: string | undefined;
}

export interface WebhookHealth {
  webhookId: string;
  attempts: number;
  succeeded: number;
  failed: number;
  /** Median of the durations of all attempts. */
  p50Ms: number | null;
  /** 95th percentile of the durations of all attempts of the period. */
  p95Ms: number | null;
  /** Hours with at least one attempt. */
  hours: WebhookHealthHour[];
}

export interface WebhookHealthHour {
  /** Start of the hour. */
  hour: string;
  succeeded: number;
  failed: number;
  p95Ms: number | null;
}

export interface GetWebhookHealthResponse {
  webhooks: WebhookHealth[];
}

export interface CreateReplayInput {
  since: string;
  /** Defaults to the current time. */
  until?: string | undefined;
  /** Only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'dead' | 'skipped' | undefined;
  kinds?: ('CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING')[] | undefined;
  /** Count the matching deliveries without sending them. Defaults to `false`. */
  dryRun?: boolean | undefined;
}

export interface Replay {
  /** Null for a dry run. */
  id: string | null;
  webhookId: string;
  since: string;
  until: string;
  deliveryStatus: 'pending' | 'delivered' | 'dead' | 'skipped' | null;
  kinds: string[] | null;
  /** Number of deliveries that the replay covers. */
  total: number;
  /** Number of deliveries queued so far. */
  done: number;
  status: 'dry_run' | 'running' | 'completed' | 'cancelled';
  createdAt: string;
}

export interface ListReplaysInput {
  /** Only replays of this webhook, also if it was deleted. */
  webhookId?: string | undefined;
  /**
   * Maximum number of replays to return. Values above 100 are reduced to 100. With
   * `webhookId`, a page may contain fewer replays, or none, although further pages follow.
   * Defaults to `50`.
   */
  limit?: number | undefined;
  /** Cursor: `pagination.next` of the previous page. */
  after?: string | undefined;
}

export interface ReplayPage {
  replays: Replay[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /** Cursor of the next page; null on the last page. */
    next: string | null;
  };
}

export interface ListEventLogInput {
  /**
   * Maximum number of events to return. Values above 100 are reduced to 100. A page may
   * contain fewer events, or with `kinds`, `contactId` or `since` none, although `hasMore` is
   * true. Defaults to `50`.
   */
  limit?: number | undefined;
  /**
   * Only events that were published after this one, or with `order=desc` before it:
   * `pagination.next`, the ID of an event, or of a delivery of it.
   */
  after?: string | undefined;
  /** `asc`, the default: in the order in which they were published. `desc`: newest first. */
  order?: 'asc' | 'desc' | undefined;
  /** Only events about this contact. */
  contactId?: string | undefined;
  /** Only events of these kinds. */
  kinds?: ('CONTACT_CREATED' | 'CONTACT_UPDATED' | 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED' | 'CONTACT_DELETED' | 'WORKSPACE_TEAM_MEMBER_JOINED' | 'IMPORT_ENDED' | 'ACTION_ENDED' | 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'DELIVERY_DEAD' | 'KEY_EXPIRING')[] | undefined;
  /** Only events that happened at or after this time. */
  since?: string | undefined;
}

export type EventListed = ContactCreatedEventListed | ContactUpdatedEventListed | ContactUnsubscribedEventListed | ContactResubscribedEventListed | ContactDeletedEventListed | WorkspaceTeamMemberJoinedEventListed | ImportEndedEventListed | ActionEndedEventListed | WebhookFailingEventListed | WebhookDisabledEventListed | DeliveryDeadEventListed | KeyExpiringEventListed;

export interface EventLogPage {
  events: EventListed[];
  pagination: {
    /** Limit that was applied. */
    limit: number;
    /**
     * Cursor for `after`, also on the last page and on an empty one, where it continues with the
     * events that are published later: for each request take it from the last response, and it
     * does not expire. Null if there is no event. With `order=desc`, null on the last page.
     */
    next: string | null;
    /** Whether there may be further events already. */
    hasMore: boolean;
  };
}

export type Event = EventListed & {
  /** One for each webhook that subscribed to the kind. */
  deliveries: DeliveryListed[];
};

export interface Meta {
  /** Version of Roster. */
  version: string;
  limits: Limits;
  /** How long events can be read. */
  eventRetentionSeconds: number;
  /** How long deliveries can be read. */
  deliveryRetentionDays: number;
  /**
   * Addresses and CIDR ranges that deliveries are sent from; null if the operator has not
   * stated them.
   */
  deliveryAddresses: string[] | null;
}

export interface Limits {
  /** Entries of a page, unless its list has its own maximum. */
  pageEntries: number;
  /** Operations of a batch of contacts. */
  batchOperations: number;
  /** Tags of a contact. */
  contactTags: number;
  /** Properties of a contact. */
  contactProperties: number;
  /** Size of a contact with its properties, in bytes of JSON. */
  contactPropertyBytes: number;
  /** Contact properties that a workspace defines. */
  propertyDefinitions: number;
  /** Webhooks of a workspace. */
  webhooks: number;
  /** API keys of a workspace. */
  apiKeys: number;
  /** Origins of a workspace. */
  origins: number;
}

export interface ContactCreatedEvent {
  event: 'CONTACT_CREATED';
  /** When the event occurred. */
  created_at: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
      /** Only with `payload: "full"`. */
      tags?: string[];
      /** Only with `payload: "full"`. */
      properties?: Record<string, string | number | boolean>;
      /** Only with `payload: "full"`. */
      status?: 'subscribed' | 'unsubscribed';
      /** Only with `payload: "full"`. */
      updatedAt?: string;
      /** Only with `payload: "full"`. */
      version?: number;
      /** Only with `payload: "full"`. */
      externalId?: string | null;
    };
    /**
     * Fields that are left out because the event is too large, such as `previous` or
     * `contact.properties`. Only with `payload: "full"`.
     */
    omitted?: string[];
  };
}

export interface ContactUpdatedEvent {
  event: 'CONTACT_UPDATED';
  /** When the event occurred. */
  created_at: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
      /** Only with `payload: "full"`. */
      tags?: string[];
      /** Only with `payload: "full"`. */
      properties?: Record<string, string | number | boolean>;
      /** Only with `payload: "full"`. */
      status?: 'subscribed' | 'unsubscribed';
      /** Only with `payload: "full"`. */
      updatedAt?: string;
      /** Only with `payload: "full"`. */
      version?: number;
      /** Only with `payload: "full"`. */
      externalId?: string | null;
    };
    /**
     * Fields that are left out because the event is too large, such as `previous` or
     * `contact.properties`. Only with `payload: "full"`.
     */
    omitted?: string[];
    /**
     * The changed fields: `email`, `name`, `tags`, `status`, `externalId`, `properties.NAME`.
     * Only with `payload: "full"`.
     */
    changed?: string[];
    /**
     * The former values of the changed fields. A property that the contact did not have is null.
     * Only with `payload: "full"`.
     */
    previous?: {
      email?: string;
      name?: string;
      tags?: string[];
      properties?: Record<string, string | number | boolean | null>;
      status?: 'subscribed' | 'unsubscribed';
      externalId?: string | null;
    };
  };
}

export interface ContactUnsubscribedEvent {
  event: 'CONTACT_UNSUBSCRIBED';
  /** When the event occurred. */
  created_at: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
      /** Only with `payload: "full"`. */
      tags?: string[];
      /** Only with `payload: "full"`. */
      properties?: Record<string, string | number | boolean>;
      /** Only with `payload: "full"`. */
      status?: 'subscribed' | 'unsubscribed';
      /** Only with `payload: "full"`. */
      updatedAt?: string;
      /** Only with `payload: "full"`. */
      version?: number;
      /** Only with `payload: "full"`. */
      externalId?: string | null;
    };
    /**
     * Fields that are left out because the event is too large, such as `previous` or
     * `contact.properties`. Only with `payload: "full"`.
     */
    omitted?: string[];
    /**
     * The changed fields: `email`, `name`, `tags`, `status`, `externalId`, `properties.NAME`.
     * Only with `payload: "full"`.
     */
    changed?: string[];
    /**
     * The former values of the changed fields. A property that the contact did not have is null.
     * Only with `payload: "full"`.
     */
    previous?: {
      email?: string;
      name?: string;
      tags?: string[];
      properties?: Record<string, string | number | boolean | null>;
      status?: 'subscribed' | 'unsubscribed';
      externalId?: string | null;
    };
  };
}

export interface ContactResubscribedEvent {
  event: 'CONTACT_RESUBSCRIBED';
  /** When the event occurred. */
  created_at: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
      /** Only with `payload: "full"`. */
      tags?: string[];
      /** Only with `payload: "full"`. */
      properties?: Record<string, string | number | boolean>;
      /** Only with `payload: "full"`. */
      status?: 'subscribed' | 'unsubscribed';
      /** Only with `payload: "full"`. */
      updatedAt?: string;
      /** Only with `payload: "full"`. */
      version?: number;
      /** Only with `payload: "full"`. */
      externalId?: string | null;
    };
    /**
     * Fields that are left out because the event is too large, such as `previous` or
     * `contact.properties`. Only with `payload: "full"`.
     */
    omitted?: string[];
    /**
     * The changed fields: `email`, `name`, `tags`, `status`, `externalId`, `properties.NAME`.
     * Only with `payload: "full"`.
     */
    changed?: string[];
    /**
     * The former values of the changed fields. A property that the contact did not have is null.
     * Only with `payload: "full"`.
     */
    previous?: {
      email?: string;
      name?: string;
      tags?: string[];
      properties?: Record<string, string | number | boolean | null>;
      status?: 'subscribed' | 'unsubscribed';
      externalId?: string | null;
    };
  };
}

export interface ContactDeletedEvent {
  event: 'CONTACT_DELETED';
  /** When the event occurred. */
  created_at: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
      /** Only with `payload: "full"`. */
      tags?: string[];
      /** Only with `payload: "full"`. */
      properties?: Record<string, string | number | boolean>;
      /** Only with `payload: "full"`. */
      status?: 'subscribed' | 'unsubscribed';
      /** Only with `payload: "full"`. */
      updatedAt?: string;
      /** Only with `payload: "full"`. */
      version?: number;
      /** Only with `payload: "full"`. */
      externalId?: string | null;
    };
    /**
     * Fields that are left out because the event is too large, such as `previous` or
     * `contact.properties`. Only with `payload: "full"`.
     */
    omitted?: string[];
    /** The contact was erased: `email` and `name` are placeholders. */
    erased?: true;
  };
}

export interface WorkspaceTeamMemberJoinedEvent {
  event: 'WORKSPACE_TEAM_MEMBER_JOINED';
  /** When the event occurred. */
  created_at: string;
  data: {
    workspace: {
      id: string;
      name: string;
    };
    user: {
      id: string;
      email: string;
      name: string;
    };
  };
}

export interface ImportEndedEvent {
  event: 'IMPORT_ENDED';
  /** When the event occurred. */
  created_at: string;
  data: {
    import: Import;
  };
}

export interface ActionEndedEvent {
  event: 'ACTION_ENDED';
  /** When the event occurred. */
  created_at: string;
  data: {
    action: ContactAction;
  };
}

export interface WebhookFailingEvent {
  event: 'WEBHOOK_FAILING';
  /** When the event occurred. */
  created_at: string;
  data: {
    webhook: {
      id: string;
      description: string | null;
      failingSince: string | null;
      disabledReason: string | null;
    };
  };
}

export interface WebhookDisabledEvent {
  event: 'WEBHOOK_DISABLED';
  /** When the event occurred. */
  created_at: string;
  data: {
    webhook: {
      id: string;
      description: string | null;
      failingSince: string | null;
      disabledReason: string | null;
    };
  };
}

export interface DeliveryDeadEvent {
  event: 'DELIVERY_DEAD';
  /** When the event occurred. */
  created_at: string;
  data: {
    webhook: {
      id: string;
    };
    delivery: {
      id: string;
      eventId: string;
      kind: string;
      reason: string;
      attemptCount: number;
      lastStatusCode: number | null;
    };
  };
}

export interface KeyExpiringEvent {
  event: 'KEY_EXPIRING';
  /** When the event occurred. */
  created_at: string;
  data: {
    apiKey: {
      id: string;
      name: string;
      userId: string;
      expiresAt: string;
    };
  };
}

export interface ContactCreatedEventListed {
  id: string;
  kind: 'CONTACT_CREATED';
  createdAt: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
    };
  };
}

export interface ContactUpdatedEventListed {
  id: string;
  kind: 'CONTACT_UPDATED';
  createdAt: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
    };
  };
}

export interface ContactUnsubscribedEventListed {
  id: string;
  kind: 'CONTACT_UNSUBSCRIBED';
  createdAt: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
    };
  };
}

export interface ContactResubscribedEventListed {
  id: string;
  kind: 'CONTACT_RESUBSCRIBED';
  createdAt: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
    };
  };
}

export interface ContactDeletedEventListed {
  id: string;
  kind: 'CONTACT_DELETED';
  createdAt: string;
  data: {
    contact: {
      id: string;
      email: string;
      name: string;
      createdAt: string;
    };
    /** The contact was erased: `email` and `name` are placeholders. */
    erased?: true;
  };
}

export interface WorkspaceTeamMemberJoinedEventListed {
  id: string;
  kind: 'WORKSPACE_TEAM_MEMBER_JOINED';
  createdAt: string;
  data: {
    workspace: {
      id: string;
      name: string;
    };
    user: {
      id: string;
      email: string;
      name: string;
    };
  };
}

export interface ImportEndedEventListed {
  id: string;
  kind: 'IMPORT_ENDED';
  createdAt: string;
  data: {
    import: Import;
  };
}

export interface ActionEndedEventListed {
  id: string;
  kind: 'ACTION_ENDED';
  createdAt: string;
  data: {
    action: ContactAction;
  };
}

export interface WebhookFailingEventListed {
  id: string;
  kind: 'WEBHOOK_FAILING';
  createdAt: string;
  data: {
    webhook: {
      id: string;
      description: string | null;
      failingSince: string | null;
      disabledReason: string | null;
    };
  };
}

export interface WebhookDisabledEventListed {
  id: string;
  kind: 'WEBHOOK_DISABLED';
  createdAt: string;
  data: {
    webhook: {
      id: string;
      description: string | null;
      failingSince: string | null;
      disabledReason: string | null;
    };
  };
}

export interface DeliveryDeadEventListed {
  id: string;
  kind: 'DELIVERY_DEAD';
  createdAt: string;
  data: {
    webhook: {
      id: string;
    };
    delivery: {
      id: string;
      eventId: string;
      kind: string;
      reason: string;
      attemptCount: number;
      lastStatusCode: number | null;
    };
  };
}

export interface KeyExpiringEventListed {
  id: string;
  kind: 'KEY_EXPIRING';
  createdAt: string;
  data: {
    apiKey: {
      id: string;
      name: string;
      userId: string;
      expiresAt: string;
    };
  };
}

export type WebhookEvent = ContactCreatedEvent | ContactUpdatedEvent | ContactUnsubscribedEvent | ContactResubscribedEvent | ContactDeletedEvent | WorkspaceTeamMemberJoinedEvent | ImportEndedEvent | ActionEndedEvent | WebhookFailingEvent | WebhookDisabledEvent | DeliveryDeadEvent | KeyExpiringEvent;

export type FaultCode = 'invalid_json' | 'unauthenticated' | 'insufficient_scope' | 'workspace_suspended' | 'quota_exceeded' | 'not_found' | 'method_not_allowed' | 'conflict' | 'limit_reached' | 'idempotency_key_in_use' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'invalid' | 'idempotency_key_reused' | 'rate_limited' | 'daily_quota_exceeded' | 'internal' | 'unavailable' | 'timeout';
