import { CreateDispatcher } from './2026-11-21-dispatcher.js';

/** In the order in which they are applied. */
export const migrations = [{ name: '2026-11-21-dispatcher', class: CreateDispatcher }];
