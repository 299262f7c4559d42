// Generated from keys.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type CreateApiKeyInput = {
  /** In the future, and not later than the expiry of the API key that the request is sent with, which is the default. */
  expiresAt?: string | null | undefined;
  /** 1 to 128 characters. */
  name: string;
  /** At most those of the API key that the request is sent with. */
  scopes: Array<Scope>;
  /** A user of the workspace. Defaults to the authenticated user. */
  userId?: string | number | null | undefined;
};

export type RotateApiKeyInput = {
  id: string | number;
  /** How long the previous secret remains valid. At most 604,800; defaults to 86,400. */
  overlapSeconds?: number | null | undefined;
};

/** What an API key may do. Neither scope implies the other. */
export type Scope =
  | 'API_USER'
  | 'USER';

export type SetApiKeySignInInput = {
  /** The address that the identity provider has verified. Without it, nobody may sign in. */
  email?: string | null | undefined;
  id: string | number;
};

export type KeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type KeysQuery = { apiKeys: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, name: string, prefix: string | null, scopes: Array<Scope>, userId: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, signInEmail: string | null }> } | null };

export type KeyUsersQueryVariables = Exact<{ [key: string]: never; }>;


export type KeyUsersQuery = { users: { nodes: Array<{ id: string, name: string, email: string }> } | null };

export type KeyRowFragment = { id: string, name: string, prefix: string | null, scopes: Array<Scope>, userId: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, signInEmail: string | null };

export type CreateKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateKeyMutation = { createApiKey: { secret: string, apiKey: { id: string, name: string, prefix: string | null, scopes: Array<Scope>, userId: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, signInEmail: string | null } } };

export type RotateKeyMutationVariables = Exact<{
  input: RotateApiKeyInput;
}>;


export type RotateKeyMutation = { rotateApiKey: { secret: string } };

export type DeleteKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteKeyMutation = { deleteApiKey: { deletedId: string } };

export type SetKeySignInMutationVariables = Exact<{
  input: SetApiKeySignInInput;
}>;


export type SetKeySignInMutation = { setApiKeySignIn: { apiKey: { id: string, name: string, prefix: string | null, scopes: Array<Scope>, userId: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, signInEmail: string | null } } };

export const Keys = 'query Keys($first:Int!$after:String){apiKeys(first:$first after:$after){pageInfo{endCursor hasNextPage}nodes{...KeyRow}}}fragment KeyRow on ApiKey{id name prefix scopes userId createdAt expiresAt lastUsedAt lastUsedIp signInEmail}' as Document<KeysQuery, KeysQueryVariables>;

export const KeyUsers = 'query KeyUsers{users(first:100){nodes{id name email}}}' as Document<KeyUsersQuery, KeyUsersQueryVariables>;

export const CreateKey = 'fragment KeyRow on ApiKey{id name prefix scopes userId createdAt expiresAt lastUsedAt lastUsedIp signInEmail}mutation CreateKey($input:CreateApiKeyInput!){createApiKey(input:$input){secret apiKey{...KeyRow}}}' as Document<CreateKeyMutation, CreateKeyMutationVariables>;

export const RotateKey = 'mutation RotateKey($input:RotateApiKeyInput!){rotateApiKey(input:$input){secret}}' as Document<RotateKeyMutation, RotateKeyMutationVariables>;

export const DeleteKey = 'mutation DeleteKey($id:ID!){deleteApiKey(input:{id:$id}){deletedId}}' as Document<DeleteKeyMutation, DeleteKeyMutationVariables>;

export const SetKeySignIn = 'fragment KeyRow on ApiKey{id name prefix scopes userId createdAt expiresAt lastUsedAt lastUsedIp signInEmail}mutation SetKeySignIn($input:SetApiKeySignInInput!){setApiKeySignIn(input:$input){apiKey{...KeyRow}}}' as Document<SetKeySignInMutation, SetKeySignInMutationVariables>;

