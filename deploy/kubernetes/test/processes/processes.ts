import { databaseConfig } from '@roster/storage';
import { contactsConfig } from '@roster/contacts/config';
import { dispatcherConfig } from '@roster/dispatcher/config';
import { gatewayConfig } from '@roster/gateway/config';

import { usersConfig } from '@roster/users/config';
import { webhooksConfig } from '@roster/webhooks/config';
import type { IContainer } from 'kubernetes-models/v1';
import type { ZodObject } from 'zod';

import type { Manifests } from '../build/manifests.js';
import { type Pods, podsOf } from '../build/pods.js';

const url = databaseConfig.shape.DATABASE_URL;
/** Only their names and passwords are used: no connection is made to these URLs. */
export const namesAndPasswords = {
  MIGRATE_DATABASE_URL: url,
  CONTACTS_DATABASE_URL: url,
  USERS_DATABASE_URL: url,
  WEBHOOKS_DATABASE_URL: url,
  DISPATCHER_DATABASE_URL: url,
};

/** The configuration schema of each process and of each command that runs as a Job. */
export const schemas: Record<string, ZodObject> = {
  gateway: gatewayConfig,
  contacts: contactsConfig,
  users: usersConfig,
  webhooks: webhooksConfig,
  dispatcher: dispatcherConfig,
  migrate: databaseConfig.pick({ DATABASE_URL: true }),
  // `roster postgres roles`
  postgres: databaseConfig.pick({ DATABASE_URL: true }).extend(namesAndPasswords),
};

const commands = ['migrate', 'postgres'];
export const serverNames = Object.keys(schemas).filter((name) => !commands.includes(name));

/** A container that runs `roster <name>`. */
export interface Process {
  name: string;
  schema: ZodObject;
  pods: Pods;
  container: IContainer;
}

export function processesOf(manifests: Manifests): Process[] {
  return podsOf(manifests).flatMap((pods) =>
    [...(pods.spec.initContainers ?? []), ...pods.spec.containers].flatMap((container) => {
      const name = container.args?.[0];
      const schema = name === undefined || container.command ? undefined : schemas[name];
      return name === undefined || !schema ? [] : [{ name, schema, pods, container }];
    }),
  );
}
