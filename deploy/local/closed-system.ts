import { join } from 'node:path';

import { serverUsers, type ServerUser } from '@roster/bus';

import { credentialsOf, keptKey, type ProcessName } from './credentials.js';
import { applyRoles } from './database/roles.js';
import {
  forEachUser,
  services,
  urlVariable,
  type DatabaseUrls,
  embeddedUrls,
} from './database/database-user.js';
import { migrate } from './database/migrate.js';
import { openKeys, seedFile } from './nats-keys.js';

/**
 * The configuration of `npm start` for tests that start servers and processes themselves: each process has a NATS user, a role of
 * PostgreSQL and caller keys of its own.
 */
export class ClosedSystem {
  /** Users for the configuration of the NATS servers. */
  readonly natsUsers: readonly ServerUser[];
  /** Folder with the seeds of the programs. */
  readonly natsKeys: string;
  readonly #home: string;
  #databaseUrls: DatabaseUrls | undefined;

  /** @param home folder for the secrets, which exists */
  constructor(home: string) {
    this.#home = home;
    this.natsKeys = join(home, 'nats-keys');
    this.natsUsers = serverUsers(openKeys(this.natsKeys));
  }

  /** How the command line connects to NATS. */
  get operator() {
    return {
      name: 'operator',
      credentials: { nkeySeedFile: seedFile(this.natsKeys, 'operator') },
    } as const;
  }

  /** Creates the roles in a new server. */
  async createRoles(superuserUrl: string): Promise<DatabaseUrls> {
    this.#databaseUrls = embeddedUrls(join(this.#home, 'database-passwords.json'), superuserUrl);
    await applyRoles(superuserUrl, this.#databaseUrls);
    return this.#databaseUrls;
  }

  /** Creates the roles in a new server, and the schemas. */
  async prepareDatabase(superuserUrl: string): Promise<void> {
    const urls = await this.createRoles(superuserUrl);
    await migrate(urls.migrate, services);
  }

  /** Where a process finds its nkey. */
  seedOf = (name: ProcessName) => ({ NATS_NKEY_SEED_FILE: seedFile(this.natsKeys, name) });

  environmentOf(name: ProcessName, natsUrl: string): NodeJS.ProcessEnv {
    return credentialsOf(name, {
      databaseUrls: this.#requireUrls(),
      natsUrl,
      natsKeys: this.natsKeys,
      callerKey: keptKey(join(this.#home, 'caller-key')),
      tokenKeys: keptKey(join(this.#home, 'token-keys')),
    });
  }

  /** The variables with which `npm start` uses these servers. */
  environmentOfStart(natsUrl: string): Record<string, string> {
    const urls = this.#requireUrls();
    const variables = forEachUser((user) => [urlVariable(user), urls[user]]);
    return {
      ...(Object.fromEntries(Object.values(variables)) as Record<string, string>),
      NATS_URL: natsUrl,
      NATS_KEYS_FOLDER: this.natsKeys,
    };
  }

  #requireUrls(): DatabaseUrls {
    if (!this.#databaseUrls) throw new Error('The roles of the database were not created.');
    return this.#databaseUrls;
  }
}
