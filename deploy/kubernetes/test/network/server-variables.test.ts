import test from 'ava';
import { z } from 'zod';

import { testBuilt } from '../built.js';
import { add, demo } from '../faults.js';
import type { Manifests } from '../build/manifests.js';
import { processesOf } from '../processes/processes.js';
import { namesOfServers } from './server-variables.js';
import { cutEdgeFindings } from './traffic.js';

test('a variable that accepts a server address is one, whatever its name', (t) => {
  const servers = {
    CACHE: z.string(),
    SEARCH_HOSTS: z.string().transform((text) => text.split(',')),
    BROKER: z.url({ protocol: /^amqps?$/ }),
    METRICS: z.stringFormat('host:port', /^[a-z.]+:\d+$/).optional(),
    LOCKS: z
      .string()
      .startsWith('etcd3://')
      .meta({ description: 'etcd3://host:port, separated by commas if several' }),
  };
  const schema = z.object({
    ...servers,
    ATTEMPTS_MAX: z.coerce.number().int(),
    LOG_LEVEL: z.enum(['info', 'debug']),
    SERVICE_NAME: z.string().regex(/^[A-Za-z-]+$/),
    HOST: z.string(),
  });
  t.deepEqual(namesOfServers(schema), Object.keys(servers));
});

testBuilt(
  'processes are configured with PostgreSQL, NATS, a collector of traces, the OpenID issuer and a proxy of deliveries, and with no other server',
  demo,
  (t, manifests) => {
    const names = processesOf(manifests).map(({ name, schema }) => [
      name,
      namesOfServers(schema).toSorted(),
    ]);
    const collector = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
    const both = ['DATABASE_URL', 'NATS_URL', ...collector];
    t.deepEqual(Object.fromEntries(names), {
      gateway: ['NATS_URL', ...collector],
      contacts: both,
      users: [...both, 'OIDC_ISSUER'].toSorted(),
      webhooks: both,
      dispatcher: [...both, 'DELIVERY_PROXY'].toSorted(),
      migrate: ['DATABASE_URL'],
      postgres: ['DATABASE_URL'],
    });
  },
);

/** The findings for the demo when contacts reads an additional variable. */
function findings(manifests: Manifests, variable: z.ZodType): string[] {
  const processes = processesOf(manifests).map((process) =>
    process.name === 'contacts'
      ? { ...process, schema: process.schema.extend({ CACHE: variable }) }
      : process,
  );
  return cutEdgeFindings(manifests, processes);
}

const needed = (to: string, port: string) =>
  `Deployment contacts → ${to}, TCP ${port}, is required by CACHE of contacts, but no NetworkPolicy allows this egress of Deployment contacts.`;
const env = 'spec.template.spec.containers.0.env';

testBuilt('finds a new variable with a server that has no policy', demo, (t, manifests) => {
  t.deepEqual(findings(manifests, z.string().optional()), []);
  add('Deployment contacts', env, { name: 'CACHE', value: 'cache:6379,cache.example' })(manifests);
  t.deepEqual(findings(manifests, z.string()), [
    needed('cache', '6379'),
    needed('cache.example', 'without a port'),
  ]);
});

testBuilt('finds a server that is a default value and has no policy', demo, (t, manifests) => {
  const variable = z.string().default('cache.example:6379').transform(String);
  t.deepEqual(findings(manifests, variable), [needed('cache.example', '6379')]);
});

testBuilt('finds a server whose address is only in a Secret', demo, (t, manifests) => {
  const secretKeyRef = { name: 'cache', key: 'address' };
  add('Deployment contacts', env, { name: 'CACHE', valueFrom: { secretKeyRef } })(manifests);
  t.deepEqual(findings(manifests, z.string()), [needed('the server of CACHE', 'without a port')]);
});

testBuilt('accepts a server of the variant that the policies allow', demo, (t, manifests) => {
  add('Deployment contacts', env, { name: 'CACHE', value: 'nats.roster:4222' })(manifests);
  t.deepEqual(findings(manifests, z.string()), []);
});
