import { CreateContacts } from './2026-11-21-contacts.js';

/** In the order in which they are applied. */
export const migrations = [{ name: '2026-11-21-contacts', class: CreateContacts }];
