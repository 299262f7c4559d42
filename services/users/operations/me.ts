import type { Handler } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { keyEnded } from '../keys/caller-key.js';
import { seeUsers } from './see-users.js';
import type { UsersService } from '../service.js';

/** Reading the user is an access, so it updates the last access time. */
export const getMe =
  ({ database }: UsersService): Handler<Operations['users.me']> =>
  async (calls) =>
    (await seeUsers(database, calls)).map((seen) => (seen ? { user: seen.user } : keyEnded()));
