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
    findings: [`${users}.env sets DATABASE_POOL, which users does not read.`],
  },
  {
    what: 'a variable of another process',
    change: add('Deployment gateway', `${container}.env`, {
      name: 'DATABASE_URL',
      value: 'postgres://a',
    }),
    findings: [`${gateway}.env sets DATABASE_URL, which gateway does not read.`],
  },
  {
    what: 'a variable that a server does not read',
    change: add('StatefulSet postgres', `${container}.env`, {
      name: 'POSTGRES_DATABASE',
      value: 'a',
    }),
    findings: [
      'StatefulSet postgres (components/single-node/postgres.yaml): spec.template.spec.containers[postgres].env sets POSTGRES_DATABASE, which postgres does not read.',
    ],
  },
  {
    what: 'a required variable that is missing',
    change: set('Deployment webhooks', `${container}.env`, []),
    findings: ['NATS_URL', 'DATABASE_URL', 'TOKEN_KEYS'].map(
      (name) =>
        `Deployment webhooks (base/webhooks/deployment.yaml): spec.template.spec.containers[roster].env lacks ${name}, which webhooks requires.`,
    ),
  },
  {
    what: 'a value that the process rejects',
    change: add('Deployment users', `${container}.env`, { name: 'DATABASE_POOL_MAX', value: '1' }),
    findings: [
      `${users}.env has DATABASE_POOL_MAX, which users rejects: Too small: expected number to be >=2.`,
    ],
  },
  {
    what: 'a Secret with a value that the process rejects',
    change: set('Secret token-keys', 'data.keys', Buffer.from('demo:short').toString('base64')),
    findings: [
      'Deployment webhooks (base/webhooks/deployment.yaml): spec.template.spec.containers[roster].env has TOKEN_KEYS, which webhooks rejects: entry 1 must be an id, a colon and the base64 of 32 bytes.',
    ],
  },
  {
    what: 'a configured port that the container does not open',
    change: add('Deployment gateway', `${container}.env`, { name: 'PORT', value: '8081' }),
    findings: [`${gateway}.ports opens 8080 as http, but PORT is 8081.`],
  },
  {
    what: 'a process without the port of its probes',
    change: set('Deployment gateway', `${container}.ports`, [
      { name: 'http', containerPort: 8080 },
    ]),
    findings: [`${gateway}.ports has no port admin, although ADMIN_PORT is 9090.`],
  },
  {
    what: 'a process that is reachable only from its own pod',
    change: add('Deployment gateway', `${container}.env`, { name: 'HOST', value: '' }),
    findings: [
      `${gateway}.env has HOST 127.0.0.1, which is not reachable from outside of the pod: use 0.0.0.0.`,
    ],
  },
]);
