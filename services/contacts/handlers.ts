import type { Handler, HandlerTable } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import {
  each,
  idempotent,
  idempotentBatch,
  onPool,
  verifyOutbox,
  separately,
  type SessionHandler,
} from '@roster/storage';
import {
  resubscribeContact,
  unsubscribeContact,
} from './operations/contacts/change-subscription.js';
import { batchContacts } from './operations/contacts/batch-contacts.js';
import { createContact } from './operations/contacts/create-contact.js';
import { createContactProperty } from './operations/properties/create-contact-property.js';
import { againWithTypes } from './writing/definitions/typed-workspaces.js';
import { withDefinitions } from './writing/definitions/with-definitions.js';
import { deleteWorkspace } from './operations/delete-workspace.js';
import { deleteContact } from './operations/contacts/delete-contact.js';
import { deleteContactProperty } from './operations/properties/delete-contact-property.js';
import { findContacts } from './operations/contacts/find-contacts.js';
import { getContact } from './operations/contacts/get-contact.js';
import { getContactProperty } from './operations/properties/get-contact-property.js';
import { exportContacts } from './operations/contacts/export-contacts.js';
import { cancelAction } from './operations/actions/cancel-action.js';
import { createAction } from './operations/actions/create-action.js';
import { getAction } from './operations/actions/get-action.js';
import { listActions } from './operations/actions/list-actions.js';
import { appendImport } from './operations/imports/append-import.js';
import { cancelImport } from './operations/imports/cancel-import.js';
import { createImport } from './operations/imports/create-import.js';
import { finishImport } from './operations/imports/finish-import.js';
import { getImport } from './operations/imports/get-import.js';
import { previewImport } from './operations/imports/preview-import.js';
import { listImportErrors } from './operations/imports/list-import-errors.js';
import { listImports } from './operations/imports/list-imports.js';
import { deleteTag, renameTag } from './operations/change-tag.js';
import { listTags } from './operations/list-tags.js';
import { listContactProperties } from './operations/properties/list-contact-properties.js';
import { listPropertyValues } from './operations/properties/list-property-values.js';
import { listContacts } from './operations/contacts/list-contacts.js';
import { pageContacts } from './operations/contacts/page-contacts.js';
import { auditLog, schema, type ContactsService } from './service.js';
import {
  getUnsubscribeLink,
  undoUnsubscribeLink,
  useUnsubscribeLink,
} from './operations/unsubscribe-link.js';
import { createSuppression } from './operations/suppressions/create-suppression.js';
import {
  deleteSuppression,
  deleteSuppressionByEmail,
} from './operations/suppressions/delete-suppression.js';
import { importSuppressions } from './operations/suppressions/import-suppressions.js';
import { getSuppression, listSuppressions } from './operations/suppressions/read-suppressions.js';
import { AuditAllowance } from './writing/audit-allowance.js';
import { isResubscription, resubscribing } from './writing/resubscribing.js';
import { getSettings } from './operations/get-settings.js';
import { eraseContact } from './operations/contacts/erase-contact.js';
import { getErasure } from './operations/get-erasure.js';
import { getUsage } from './operations/usage.js';
import { updateSettings } from './operations/update-settings.js';
import { updateContact } from './operations/contacts/update-contact.js';
import { updateContactProperty } from './operations/properties/update-contact-property.js';
import { upsertContact } from './operations/contacts/upsert-contact.js';

/** The operations that this service serves. */
export function handlers(service: ContactsService): HandlerTable<'contacts'> {
  const write = <Name extends keyof HandlerTable<'contacts'>>(
    name: Name,
    handler: SessionHandler<Operations[Name]>,
  ): Handler<Operations[Name]> =>
    idempotent<Operations[Name]>(service.database, schema, name, handler);
  const writeTyped: typeof write = (name, handler) => againWithTypes(service, write(name, handler));
  const writers = {
    create: resubscribing(service, withDefinitions(service, createContact(service))),
    update: resubscribing(service, updateContact(service)),
  };
  const deletions = new AuditAllowance();
  return {
    'contacts.list': listContacts(service),
    'contacts.find': findContacts(service),
    'contacts.page': pageContacts(service),
    'contacts.export': exportContacts(service),
    'contacts.get': getContact(service),
    'contacts.create': againWithTypes<Operations['contacts.create']>(
      service,
      separately(
        isResubscription,
        write('contacts.create', writers.create),
        idempotentBatch<Operations['contacts.create']>(
          service.database,
          schema,
          'contacts.create',
          writers.create,
        ),
      ),
    ),
    'contacts.upsert': writeTyped('contacts.upsert', upsertContact(service, writers)),
    'contacts.batch': writeTyped('contacts.batch', batchContacts(service)),
    'contacts.update': writeTyped('contacts.update', writers.update),
    'contacts.delete': write('contacts.delete', deleteContact(service)),
    'contacts.unsubscribe': write('contacts.unsubscribe', unsubscribeContact(service)),
    'contacts.resubscribe': write('contacts.resubscribe', resubscribeContact(service)),
    'unsubscribe-links.get': getUnsubscribeLink(service),
    'unsubscribe-links.undo': onPool<Operations['unsubscribe-links.undo']>(
      service.database,
      undoUnsubscribeLink(service),
    ),
    'unsubscribe-links.use': onPool<Operations['unsubscribe-links.use']>(
      service.database,
      useUnsubscribeLink(service),
    ),
    'tags.list': listTags(service),
    'tags.rename': write('tags.rename', renameTag(service)),
    'tags.delete': write('tags.delete', deleteTag(service)),
    'contact-properties.list': listContactProperties(service),
    'contact-properties.get': getContactProperty(service),
    'contacts.property-values': listPropertyValues(service),
    'contact-properties.create': write('contact-properties.create', createContactProperty(service)),
    'contact-properties.update': write('contact-properties.update', updateContactProperty(service)),
    'contact-properties.delete': write('contact-properties.delete', deleteContactProperty(service)),
    'settings.get': getSettings(service),
    'settings.update': write('settings.update', updateSettings),
    'contacts.delete-workspace': onPool(service.database, deleteWorkspace(service)),
    'contacts.usage': onPool(service.database, getUsage),
    'contacts.verify-outbox': verifyOutbox({ ...service, schema }),
    'contacts.audit-entries': onPool<Operations['contacts.audit-entries']>(
      service.database,
      each(({ input }, session) => auditLog.page(session, input.workspaceId, input)),
    ),
    'imports.create': write('imports.create', createImport(service)),
    'imports.preview': againWithTypes<Operations['imports.preview']>(
      service,
      onPool(service.database, previewImport(service)),
    ),
    'imports.append': write('imports.append', appendImport),
    'imports.finish': write('imports.finish', finishImport(service)),
    'imports.list': listImports(service),
    'imports.get': getImport(service),
    'imports.list-errors': listImportErrors(service),
    'imports.cancel': write('imports.cancel', cancelImport(service)),
    'suppressions.list': listSuppressions(service),
    'suppressions.get': getSuppression(service),
    'suppressions.create': write('suppressions.create', createSuppression(service)),
    'suppressions.delete': write('suppressions.delete', deleteSuppression(deletions)),
    'suppressions.delete-by-email': write(
      'suppressions.delete-by-email',
      deleteSuppressionByEmail(deletions),
    ),
    'suppressions.import': write('suppressions.import', importSuppressions(service)),
    'contacts.erase': write('contacts.erase', eraseContact(service)),
    'erasures.get': getErasure(service),
    'contact-actions.create': write('contact-actions.create', createAction(service)),
    'contact-actions.list': listActions(service),
    'contact-actions.get': getAction(service),
    'contact-actions.cancel': write('contact-actions.cancel', cancelAction(service)),
  };
}
