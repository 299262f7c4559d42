// Generated from settings.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Type of the values of a contact property. */
export type ContactPropertyType =
  | 'BOOLEAN'
  /** A string `YYYY-MM-DD`, a day of the calendar. */
  | 'DATE'
  /** A finite double. An integer beyond 2^53 is rejected. */
  | 'NUMBER'
  | 'STRING';

export type CreateContactPropertyInput = {
  /** At most 1,024 characters. */
  description?: string | null | undefined;
  /** 1 to 128 characters. */
  label: string;
  /** A letter followed by up to 63 letters, digits or underscores. Unique within the workspace. */
  name: string;
  /** Type of the values: `number` is a finite double, `date` a string `YYYY-MM-DD`, a day of the calendar. */
  type?: ContactPropertyType | null | undefined;
};

export type ImportSuppressionsInput = {
  emails: Array<string>;
  /** Defaults to MANUAL. Suppressions that exist keep theirs. */
  reason?: SuppressionReason | null | undefined;
};

/** Why an address is suppressed. */
export type SuppressionReason =
  | 'BOUNCED'
  | 'COMPLAINED'
  | 'MANUAL'
  /** Also if a contact with the address unsubscribed. */
  | 'UNSUBSCRIBED';

/** Omitted fields are left unchanged. */
export type UpdateContactPropertyInput = {
  description?: string | null | undefined;
  /** Whether to change nothing, and answer what `type` would do. */
  dryRun?: boolean | null | undefined;
  id: string | number;
  label?: string | null | undefined;
  /** Changed only if no value contradicts. Values are converted as an import reads them, at most 5000, each with an event of its contact. */
  type?: ContactPropertyType | null | undefined;
};

export type SettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type SettingsQuery = { origins: Array<string> | null, settings: { strictProperties: boolean } | null, meta: { version: string, deliveryRetentionDays: number, eventRetentionSeconds: number, deliveryAddresses: Array<string> | null, limits: { apiKeys: number, batchOperations: number, contactProperties: number, contactPropertyBytes: number, contactTags: number, origins: number, pageEntries: number, propertyDefinitions: number, webhooks: number } } | null };

export type PropertiesQueryVariables = Exact<{
  after?: string | number | null | undefined;
}>;


export type PropertiesQuery = { contactProperties: Array<{ id: string, name: string, label: string, description: string | null, type: ContactPropertyType, createdAt: string }> | null };

export type PropertyRowFragment = { id: string, name: string, label: string, description: string | null, type: ContactPropertyType, createdAt: string };

export type CreatePropertyMutationVariables = Exact<{
  input: CreateContactPropertyInput;
}>;


export type CreatePropertyMutation = { createContactProperty: { contactProperty: { id: string, name: string, label: string, description: string | null, type: ContactPropertyType, createdAt: string } } };

export type UpdatePropertyMutationVariables = Exact<{
  input: UpdateContactPropertyInput;
}>;


export type UpdatePropertyMutation = { updateContactProperty: { contactProperty: { id: string, name: string, label: string, description: string | null, type: ContactPropertyType, createdAt: string }, propertyTypeChange: { values: number, converted: number, contradicting: number, contacts: Array<string>, refusal: string | null } | null } };

export type DeletePropertyMutationVariables = Exact<{
  id: string | number;
}>;


export type DeletePropertyMutation = { deleteContactProperty: { deletedId: string } };

export type SetStrictMutationVariables = Exact<{
  strict: boolean;
}>;


export type SetStrictMutation = { updateSettings: { settings: { strictProperties: boolean } } };

export type SetOriginsMutationVariables = Exact<{
  origins: Array<string> | string;
}>;


export type SetOriginsMutation = { setWorkspaceOrigins: { origins: Array<string> } };

export type SessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionsQuery = { sessions: { nodes: Array<{ id: string, address: string | null, userAgent: string | null, isCurrent: boolean, lastUsedAt: string, user: { name: string } }> } | null };

export type EndSessionMutationVariables = Exact<{
  id: string | number;
}>;


export type EndSessionMutation = { deleteSession: { deletedId: string } };

export type FindSuppressionQueryVariables = Exact<{
  email: string;
}>;


export type FindSuppressionQuery = { suppressions: { nodes: Array<{ id: string, reason: SuppressionReason, createdAt: string }> } | null };

export type ImportSuppressionsMutationVariables = Exact<{
  input: ImportSuppressionsInput;
}>;


export type ImportSuppressionsMutation = { importSuppressions: { created: number, refused: Array<{ index: number }> } };

export type DeleteSuppressionMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteSuppressionMutation = { deleteSuppression: { deletedId: string } };

export type TagsQueryVariables = Exact<{
  prefix?: string | null | undefined;
}>;


export type TagsQuery = { tags: { nodes: Array<{ name: string, contacts: number }>, pageInfo: { hasNextPage: boolean } } | null };

export const Settings = 'query Settings{settings{strictProperties}origins meta{version deliveryRetentionDays eventRetentionSeconds deliveryAddresses limits{apiKeys batchOperations contactProperties contactPropertyBytes contactTags origins pageEntries propertyDefinitions webhooks}}}' as Document<SettingsQuery, SettingsQueryVariables>;

export const Properties = 'query Properties($after:ID){contactProperties(first:100 after:$after){...PropertyRow}}fragment PropertyRow on ContactProperty{id name label description type createdAt}' as Document<PropertiesQuery, PropertiesQueryVariables>;

export const CreateProperty = 'fragment PropertyRow on ContactProperty{id name label description type createdAt}mutation CreateProperty($input:CreateContactPropertyInput!){createContactProperty(input:$input){contactProperty{...PropertyRow}}}' as Document<CreatePropertyMutation, CreatePropertyMutationVariables>;

export const UpdateProperty = 'fragment PropertyRow on ContactProperty{id name label description type createdAt}mutation UpdateProperty($input:UpdateContactPropertyInput!){updateContactProperty(input:$input){contactProperty{...PropertyRow}propertyTypeChange{values converted contradicting contacts refusal}}}' as Document<UpdatePropertyMutation, UpdatePropertyMutationVariables>;

export const DeleteProperty = 'mutation DeleteProperty($id:ID!){deleteContactProperty(input:{id:$id}){deletedId}}' as Document<DeletePropertyMutation, DeletePropertyMutationVariables>;

export const SetStrict = 'mutation SetStrict($strict:Boolean!){updateSettings(input:{strictProperties:$strict}){settings{strictProperties}}}' as Document<SetStrictMutation, SetStrictMutationVariables>;

export const SetOrigins = 'mutation SetOrigins($origins:[String!]!){setWorkspaceOrigins(input:{origins:$origins}){origins}}' as Document<SetOriginsMutation, SetOriginsMutationVariables>;

export const Sessions = 'query Sessions{sessions(first:100){nodes{id address userAgent isCurrent lastUsedAt user{name}}}}' as Document<SessionsQuery, SessionsQueryVariables>;

export const EndSession = 'mutation EndSession($id:ID!){deleteSession(input:{id:$id}){deletedId}}' as Document<EndSessionMutation, EndSessionMutationVariables>;

export const FindSuppression = 'query FindSuppression($email:EmailAddress!){suppressions(first:1 email:$email){nodes{id reason createdAt}}}' as Document<FindSuppressionQuery, FindSuppressionQueryVariables>;

export const ImportSuppressions = 'mutation ImportSuppressions($input:ImportSuppressionsInput!){importSuppressions(input:$input){created refused{index}}}' as Document<ImportSuppressionsMutation, ImportSuppressionsMutationVariables>;

export const DeleteSuppression = 'mutation DeleteSuppression($id:ID!){deleteSuppression(input:{id:$id}){deletedId}}' as Document<DeleteSuppressionMutation, DeleteSuppressionMutationVariables>;

export const Tags = 'query Tags($prefix:String){tags(first:50 prefix:$prefix){nodes{name contacts}pageInfo{hasNextPage}}}' as Document<TagsQuery, TagsQueryVariables>;

