import { createHash } from 'node:crypto';
import { base62, checksumOf, encodeId } from '@roster/contracts';

/**
 * Workspaces of one kind, numbered from `first`. All IDs and values are computed from numbers, so processes need not
 * exchange them.
 */
export interface WorkspaceGroup {
  first: number;
  count: number;
  /** Contacts in each workspace, numbered from 0. */
  contacts: number;
}

/** The initial contents of the contenders' databases. */
export type DataSet = Record<'large' | 'small' | 'many' | 'written' | 'mixed', WorkspaceGroup>;

export function dataSetOf(contacts: number): DataSet {
  return {
    large: { first: 1, count: 1, contacts },
    small: { first: 2, count: 1, contacts: Math.min(1000, contacts) },
    /** Workspace of creations, updates and deletions. */
    written: { first: 3, count: 1, contacts: Math.min(100_000, contacts) },
    /** Workspace of reads and writes, with a webhook. */
    mixed: { first: 4, count: 1, contacts: Math.min(1000, contacts) },
    many: { first: 1000, count: 1000, contacts: Math.min(100, Math.ceil(contacts / 1000)) },
  };
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

export const workspaceUuid = (workspace: number): string =>
  `01935a2e-7b00-7000-8000-${hex(workspace, 12)}`;

/** The ID of its only user, and of that user's only key. */
export const userUuid = (workspace: number): string =>
  `01935a2e-7b00-7001-8000-${hex(workspace, 12)}`;

/** IDs ascend with the numbers, which is the order of creation. */
export const contactUuid = (workspace: number, contact: number): string =>
  `${contactUuidStart}${hex(workspace, 3)}-${hex(contact, 12)}`;
export const contactUuidStart = '01935a2e-7b00-7002-8';

export const contactId = (workspace: number, contact: number): string =>
  encodeId('contact', contactUuid(workspace, contact));

export const apiKeyOf = (workspace: number): string => {
  let random = '';
  for (const byte of createHash('sha256').update(`bench ${workspace}`).digest().subarray(0, 30))
    random += base62[byte % 62]!;
  return `rsk_${random}${checksumOf(random)}`;
};
