import type { Bus } from '@roster/bus';
import type { Database, IdClock, Outbox } from '@roster/service';

/** What the operations of this service work with. */
export interface UsersService {
  database: Database;
  outbox: Outbox;
  bus: Pick<Bus, 'broadcast'>;
  ids: IdClock;
}

export const schema = 'users';
