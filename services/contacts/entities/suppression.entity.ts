import { defineEntity, p } from '@mikro-orm/core';

/**
 * An address that receives nothing, whether or not a contact has it: a keyed hash, from which nobody can read the address. Triggers on
 * contacts maintain those of unsubscribed contacts, which outlive them.
 */
export const Suppression = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    /** Contains its time. */
    id: p.uuid().primary(),
    /** `contacts.suppression_hash` of the `emailKey`. */
    hash: p.blob(),
    reason: p.text(),
  },
  uniques: [{ name: 'suppressions_hash', properties: ['workspaceId', 'hash'] }],
});

/** The key of the hashes of all workspaces, as HMAC uses it. Without it, no suppression is found again. */
export const SuppressionKey = defineEntity({
  name: 'SuppressionKey',
  tableName: 'suppression_key',
  schema: 'contacts',
  properties: {
    id: p.boolean().primary().defaultRaw('true'),
    innerPad: p.blob(),
    outerPad: p.blob(),
  },
  checks: [{ name: 'suppression_key_id_check', expression: 'id' }],
});
