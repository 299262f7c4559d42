// Generated from users.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type CreateUserInput = {
  /** Unique within the workspace, ignoring case. */
  email: string;
  /** 1 to 256 characters. */
  name: string;
};

/** Omitted fields are left unchanged. */
export type UpdateMeInput = {
  /** 1 to 256 characters. */
  name?: string | null | undefined;
};

export type UsersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type UsersQuery = { users: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, name: string, email: string, createdAt: string, lastAccessedAt: string }> } | null };

export type UserRowFragment = { id: string, name: string, email: string, createdAt: string, lastAccessedAt: string };

export type CreateUserMutationVariables = Exact<{
  input: CreateUserInput;
}>;


export type CreateUserMutation = { createUser: { user: { id: string, name: string, email: string, createdAt: string, lastAccessedAt: string } } };

export type RenameMeMutationVariables = Exact<{
  input: UpdateMeInput;
}>;


export type RenameMeMutation = { updateMe: { user: { id: string, name: string, email: string, createdAt: string, lastAccessedAt: string } } };

export type DeleteUserMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteUserMutation = { deleteUser: { deletedId: string } };

export const Users = 'query Users($first:Int!$after:String){users(first:$first after:$after){pageInfo{endCursor hasNextPage}nodes{...UserRow}}}fragment UserRow on User{id name email createdAt lastAccessedAt}' as Document<UsersQuery, UsersQueryVariables>;

export const CreateUser = 'fragment UserRow on User{id name email createdAt lastAccessedAt}mutation CreateUser($input:CreateUserInput!){createUser(input:$input){user{...UserRow}}}' as Document<CreateUserMutation, CreateUserMutationVariables>;

export const RenameMe = 'fragment UserRow on User{id name email createdAt lastAccessedAt}mutation RenameMe($input:UpdateMeInput!){updateMe(input:$input){user{...UserRow}}}' as Document<RenameMeMutation, RenameMeMutationVariables>;

export const DeleteUser = 'mutation DeleteUser($id:ID!){deleteUser(input:{id:$id}){deletedId}}' as Document<DeleteUserMutation, DeleteUserMutationVariables>;

