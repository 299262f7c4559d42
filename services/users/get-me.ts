import type { Handler } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { seeUsers } from './see-users.js';
import type { UsersService } from './service.js';

/** Asking is an access: the record shows it at once. */
export const getMe =
  ({ database }: UsersService): Handler<Operations['users.me']> =>
  (calls) =>
    seeUsers(database, calls);
