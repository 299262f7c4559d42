import { CreateUsers } from './2026-11-21-users.js';

/** In the order in which they are applied. */
export const migrations = [{ name: '2026-11-21-users', class: CreateUsers }];
