// Generated from imports.graphql by `npm run record`.

import type { Document } from '../../data/graphql.js';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type CancelImportInput = {
  id: string | number;
};

/** Whether an import causes an event for each contact, or only one for its end. */
export type ImportEvents =
  | 'EACH'
  | 'SUMMARY';

/** Format of an imported file. */
export type ImportFormat =
  | 'CSV'
  | 'NDJSON';

/** Whether an import updates existing contacts or leaves them unchanged. */
export type ImportMode =
  | 'SKIP'
  | 'UPSERT';

/** Status of an import. */
export type ImportStatus =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING'
  | 'UPLOADING';

export type ImportsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type ImportsQuery = { imports: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ id: string, status: ImportStatus, format: ImportFormat, mode: ImportMode, events: ImportEvents, dryRun: boolean, total: number, done: number, created: number, updated: number, skipped: number, failed: number, notices: number | null, reason: string | null, fileName: string | null, createdAt: string, endedAt: string | null }> } | null };

export type ImportQueryVariables = Exact<{
  id: string | number;
}>;


export type ImportQuery = { import: { id: string, status: ImportStatus, format: ImportFormat, mode: ImportMode, events: ImportEvents, dryRun: boolean, total: number, done: number, created: number, updated: number, skipped: number, failed: number, notices: number | null, reason: string | null, fileName: string | null, createdAt: string, endedAt: string | null } | null };

export type ImportRowFragment = { id: string, status: ImportStatus, format: ImportFormat, mode: ImportMode, events: ImportEvents, dryRun: boolean, total: number, done: number, created: number, updated: number, skipped: number, failed: number, notices: number | null, reason: string | null, fileName: string | null, createdAt: string, endedAt: string | null };

export type CancelImportMutationVariables = Exact<{
  input: CancelImportInput;
}>;


export type CancelImportMutation = { cancelImport: { import: { id: string, status: ImportStatus, format: ImportFormat, mode: ImportMode, events: ImportEvents, dryRun: boolean, total: number, done: number, created: number, updated: number, skipped: number, failed: number, notices: number | null, reason: string | null, fileName: string | null, createdAt: string, endedAt: string | null } } };

export const Imports = 'query Imports($first:Int!$after:String){imports(first:$first after:$after){pageInfo{endCursor hasNextPage}nodes{...ImportRow}}}fragment ImportRow on Import{id status format mode events dryRun total done created updated skipped failed notices reason fileName createdAt endedAt}' as Document<ImportsQuery, ImportsQueryVariables>;

export const Import = 'query Import($id:ID!){import(id:$id){...ImportRow}}fragment ImportRow on Import{id status format mode events dryRun total done created updated skipped failed notices reason fileName createdAt endedAt}' as Document<ImportQuery, ImportQueryVariables>;

export const CancelImport = 'fragment ImportRow on Import{id status format mode events dryRun total done created updated skipped failed notices reason fileName createdAt endedAt}mutation CancelImport($input:CancelImportInput!){cancelImport(input:$input){import{...ImportRow}}}' as Document<CancelImportMutation, CancelImportMutationVariables>;

