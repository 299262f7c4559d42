/** The actions that the API records, as `GET /v1/audit-log?action=` takes them. */
export const actions = [
  'user.created',
  'user.updated',
  'user.deleted',
  'api_key.created',
  'api_key.rotated',
  'api_key.sign_in_updated',
  'api_key.deleted',
  'token.created',
  'origins.updated',
  'session_link.created',
  'session.created',
  'session.deleted',
  'workspace.updated',
  'workspace.suspended',
  'workspace.resumed',
  'webhook.created',
  'webhook.updated',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.deleted',
  'webhook.token_rotated',
  'webhook.token_read',
  'settings.updated',
  'import.created',
  'import.cancelled',
  'contact_action.created',
  'contact_action.cancelled',
  'contact.deleted',
  'contact.erased',
  'contact.resubscribed',
  'contact_property.deleted',
  'contacts.batch_applied',
  'contacts.exported',
  'suppression.created',
  'suppression.deleted',
  'suppressions.imported',
  'replay.created',
  'replay.cancelled',
  'delivery.retried',
] as const;

/** `api_key.created`: API key created. */
export function actionWords(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ').replace(/^api/, 'API');
  return words[0]!.toUpperCase() + words.slice(1);
}
