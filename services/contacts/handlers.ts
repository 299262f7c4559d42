import type { Handler, HandlerTable } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { idempotent, idempotentBatch, onPool, type SessionHandler } from '@roster/storage';
import { resubscribeContact, unsubscribeContact } from './change-subscription.js';
import { batchContacts } from './batch/batch-contacts.js';
import { createContact } from './create-contact.js';
import { createContactProperty } from './create-contact-property.js';
import { withDefinitions } from './definitions/with-definitions.js';
import { deleteContact } from './delete-contact.js';
import { deleteContactProperty } from './delete-contact-property.js';
import { findContacts } from './find/find-contacts.js';
import { getContact } from './get-contact.js';
import { getContactProperty } from './get-contact-property.js';
import { listAuditEntries } from './list-audit-entries.js';
import { exportContacts } from './pages/export-contacts.js';
import { appendImport } from './imports/append-import.js';
import { cancelImport } from './imports/cancel-import.js';
import { createImport } from './imports/create-import.js';
import { finishImport } from './imports/finish-import.js';
import { getImport } from './imports/get-import.js';
import { listImportErrors } from './imports/list-import-errors.js';
import { listImports } from './imports/list-imports.js';
import { lockUpserts } from './lock-upserts.js';
import { listContactProperties } from './pages/list-contact-properties.js';
import { listContacts } from './pages/list-contacts.js';
import { pageContacts } from './pages/page-contacts.js';
import { schema, type ContactsService } from './service.js';
import { getUnsubscribeLink } from './unsubscribe/get-unsubscribe-link.js';
import { useUnsubscribeLink } from './unsubscribe/use-unsubscribe-link.js';
import { getSettings } from './settings/get-settings.js';
import { updateSettings } from './settings/update-settings.js';
import { updateContact } from './update-contact.js';
import { updateContactProperty } from './update-contact-property.js';
import { upsertContact } from './upsert-contact.js';

/** The operations that this service serves. */
export function handlers(service: ContactsService): HandlerTable<'contacts'> {
  const write = <Name extends keyof HandlerTable<'contacts'>>(
    name: Name,
    handler: SessionHandler<Operations[Name]>,
  ): Handler<Operations[Name]> =>
    idempotent<Operations[Name]>(service.database, schema, name, handler);
  const writers = {
    create: withDefinitions(service, createContact(service)),
    update: updateContact(service),
  };
  return {
    'contacts.list': listContacts(service),
    'contacts.find': findContacts(service),
    'contacts.page': pageContacts(service),
    'contacts.export': exportContacts(service),
    'contacts.get': getContact(service),
    'contacts.create': idempotentBatch<Operations['contacts.create']>(
      service.database,
      schema,
      'contacts.create',
      writers.create,
    ),
    'contacts.upsert': write(
      'contacts.upsert',
      lockUpserts(service, upsertContact(service, writers)),
    ),
    'contacts.batch': write('contacts.batch', batchContacts(service)),
    'contacts.update': write('contacts.update', writers.update),
    'contacts.delete': write('contacts.delete', deleteContact(service)),
    'contacts.unsubscribe': write('contacts.unsubscribe', unsubscribeContact(service)),
    'contacts.resubscribe': write('contacts.resubscribe', resubscribeContact(service)),
    'unsubscribe-links.get': getUnsubscribeLink(service),
    'unsubscribe-links.use': onPool<Operations['unsubscribe-links.use']>(
      service.database,
      useUnsubscribeLink(service),
    ),
    'contact-properties.list': listContactProperties(service),
    'contact-properties.get': getContactProperty(service),
    'contact-properties.create': write('contact-properties.create', createContactProperty(service)),
    'contact-properties.update': write('contact-properties.update', updateContactProperty),
    'contact-properties.delete': write('contact-properties.delete', deleteContactProperty(service)),
    'settings.get': getSettings(service),
    'settings.update': write('settings.update', updateSettings),
    'contacts.audit-entries': onPool<Operations['contacts.audit-entries']>(
      service.database,
      listAuditEntries,
    ),
    'imports.create': write('imports.create', createImport(service)),
    'imports.append': write('imports.append', appendImport),
    'imports.finish': write('imports.finish', finishImport(service)),
    'imports.list': listImports(service),
    'imports.get': getImport(service),
    'imports.list-errors': listImportErrors(service),
    'imports.cancel': write('imports.cancel', cancelImport(service)),
  };
}
