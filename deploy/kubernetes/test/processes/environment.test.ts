import { environmentFindings } from './environment.js';
import { add, set, testFaults } from '../faults.js';

const container = 'spec.template.spec.containers.0';
const users =
  'Deployment users (base/users/deployment.yaml): spec.template.spec.containers[roster]';
const gateway =
  'Deployment gateway (base/gateway/deployment.yaml): spec.template.spec.containers[roster]';

testFaults(environmentFindings, [
  {
    what: 'a variable that the process does not read',
    change: add('Deployment users', `${container}.env`, { name: 'DATABASE_POOL', value: '10' }),
    says: [`${users}.env sets DATABASE_POOL, which users does not read.`],
  },
  {
    what: 'a variable of another process',
    change: add('Deployment gateway', `${container}.env`, {
      name: 'DATABASE_URL',
      value: 'postgres://a',
    }),
    says: [`${gateway}.env sets DATABASE_URL, which gateway does not read.`],
  },
  {
    what: 'a variable that a server does not read',
    change: add('StatefulSet postgres', `${container}.env`, {
      name: 'POSTGRES_DATABASE',
      value: 'a',
    }),
    says: [
      'StatefulSet postgres (components/single-node/postgres.yaml): spec.template.spec.containers[postgres].env sets POSTGRES_DATABASE, which postgres does not read.',
    ],
  },
  {
    what: 'a required variable that is missing',
    change: set('Deployment webhooks', `${container}.env`, []),
    says: ['NATS_URL', 'DATABASE_URL', 'TOKEN_KEYS'].map(
      (name) =>
        `Deployment webhooks (base/webhooks/deployment.yaml): spec.template.spec.containers[roster].env lacks ${name}, which webhooks requires.`,
    ),
  },
  {
    what: 'a value that the process rejects',
    change: add('Deployment users', `${container}.env`, { name: 'DATABASE_POOL_MAX', value: '1' }),
    says: [
      `${users}.env has DATABASE_POOL_MAX, which users refuses: Too small: expected number to be >=2.`,
    ],
  },
  {
    what: 'a Secret with a value that the process rejects',
    change: set('Secret token-keys', 'data.keys', Buffer.from('demo:short').toString('base64')),
    says: [
      'Deployment webhooks (base/webhooks/deployment.yaml): spec.template.spec.containers[roster].env has TOKEN_KEYS, which webhooks refuses: entry 1 must be an id, a colon and the base64 of 32 bytes.',
    ],
  },
  {
    what: 'a configured port that the container does not open',
    change: add('Deployment gateway', `${container}.env`, { name: 'PORT', value: '8081' }),
    says: [`${gateway}.ports opens 8080 as http, but PORT is 8081.`],
  },
  {
    what: 'a process without the port of its probes',
    change: set('Deployment gateway', `${container}.ports`, [
      { name: 'http', containerPort: 8080 },
    ]),
    says: [`${gateway}.ports has no port admin, though ADMIN_PORT is 9090.`],
  },
  {
    what: 'a process that only its own pod can reach',
    change: add('Deployment gateway', `${container}.env`, { name: 'HOST', value: '' }),
    says: [
      `${gateway}.env has HOST 127.0.0.1, where nobody outside of the pod reaches it: 0.0.0.0.`,
    ],
  },
]);
