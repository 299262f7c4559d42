import { ActivityReporter, RecentWorkspaces } from '@roster/bus';
import { IdClock, WakeableSleep } from '@roster/process';
import type { Database, Outbox } from '@roster/storage';
import { DefinitionCache } from '../writing/definitions/definition-cache.js';
import { Quotas } from '../writing/quotas.js';
import type { ContactsService } from '../service.js';
import { UnsubscribeLinks } from '../reading/unsubscribe-links.js';

/** The service on a database, without NATS. */
export const serviceOn = (database: Database): ContactsService => ({
  database,
  outbox: { publish: () => undefined } as unknown as Outbox,
  ids: new IdClock(),
  definitions: new DefinitionCache(),
  quotas: new Quotas({ call: async () => ({ contacts: null }) as never }),
  links: new UnsubscribeLinks(database, undefined),
  jobs: new WakeableSleep(),
  activity: new ActivityReporter({ broadcastTo: () => undefined }),
  bus: {
    broadcast: () => undefined,
    callers: new RecentWorkspaces(),
    eraser: { next: async () => undefined, erase: async () => {} },
    stream: undefined as never,
  },
});
