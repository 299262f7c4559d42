import { formerRelease, readFormer } from '@roster/testing';
import { releaseVersion } from '@roster/contracts';
import test from 'ava';
import { brokenPromises, type Contracts } from './compare-contracts.js';
import { readContracts } from './read-contracts.js';

/** Incompatible changes that this release makes on purpose. */
const intended = [
  // A consumer can take events from the dispatchers. deploy/README.md states what the former release lacks during the upgrade.
  ...['dispatcher', 'gateway'].flatMap((program) =>
    ['CREATE.EVENTS.*.events.*.*', 'DELETE.EVENTS.*', 'INFO.EVENTS.*', 'MSG.NEXT.EVENTS.*'].map(
      (request) => `NATS denies: ${program} publishes $JS.API.CONSUMER.${request}`,
    ),
  ),
  // An upsert can name a contact by its external ID alone, which a service of the former release refuses until it is upgraded.
  'operation contacts.upsert input /email: is required (to a service of the former release)',
  ...twice(
    'operation contacts.batch input /operations/*/email: is required (to a service of the former release)',
  ),
  ...['update', 'upsert'].map(
    (action) =>
      `operation contacts.batch input /operations/*/action: does not accept "${action}" (to a service of the former release)`,
  ),
  ...twice(
    'operation contacts.batch input /operations/*/properties/*: does not accept null (to a service of the former release)',
  ),
  // Properties have types. deploy/README.md says that others than strings are defined when all processes are replaced.
  ...['number', 'boolean', 'date'].flatMap((type) =>
    [
      ...['create', 'get', 'update'].map((verb) => `${verb} output /property/type`),
      'list output /properties/*/type',
    ].map((field) => `operation contact-properties.${field}: does not accept "${type}"`),
  ),
  ...['number', 'boolean'].flatMap((type) => [
    ...['create', 'get', 'update', 'upsert', 'unsubscribe', 'resubscribe'].map(
      (verb) => `operation contacts.${verb} output /contact/properties/*: does not accept ${type}`,
    ),
    ...['find', 'list', 'page'].map(
      (verb) =>
        `operation contacts.${verb} output /contacts/*/properties/*: does not accept ${type}`,
    ),
    ...[
      ...['create', 'update', 'upsert'].map((verb) => `${verb} input /properties/*`),
      // Each kind of operation is compared with the most similar one.
      ...Array.from({ length: 3 }, () => 'batch input /operations/*/properties/*'),
    ].map(
      (field) =>
        `operation contacts.${field}: does not accept ${type} (to a service of the former release)`,
    ),
  ]),
  // A property has several conditions only when clients ask for them, which a service of the former release refuses until then.
  ...['list', 'find', 'export'].map(
    (verb) =>
      `operation contacts.${verb} input /property/*: does not accept array (to a service of the former release)`,
  ),
  // Contacts are ordered by a property only when clients ask for it, as above.
  ...['list', 'find'].map(
    (verb) =>
      `operation contacts.${verb} input /sort: accepts only certain values (to a service of the former release)`,
  ),
  // It takes the IDs of sessions too.
  ...twice(
    'operation keys.check input /keyId: pattern is ^(?:key|ses)_[0-7][0-9a-hjkmnp-tv-z]{25}$, not ^key_[0-7][0-9a-hjkmnp-tv-z]{25}$',
  ),
  // Other names were refused by the service, because no operation has them.
  ...twice('operation tokens.create input /operations/*: pattern is ^[A-Za-z.-]+$, not unlimited'),
  // Rows with notices, whose code the gateway of the former release writes into errors.csv as it is.
  ...['not_resubscribed', 'suppressed'].map(
    (code) => `operation imports.list-errors output /errors/*/code: does not accept "${code}"`,
  ),
  // Quotas are set by an operator. deploy/README.md says to wait until all processes are replaced.
  'operation contacts.batch output /results/*/problem/code: does not accept "quota_exceeded"',
  'operation imports.list-errors output /errors/*/code: does not accept "quota_exceeded"',
];

/** For clients, and for processes. */
function twice(promise: string): string[] {
  return [promise, promise];
}

test('this release is compatible with processes, clients and receivers of the former release', (t) => {
  const former = JSON.parse(readFormer('contracts.json')) as Contracts;
  t.true(Object.keys(former.operations).length > 20);
  t.true(former.permissions.length > 100);
  t.deepEqual(brokenPromises(former, readContracts()).toSorted(), intended.toSorted());
});

test('the former release has a lower version', (t) => {
  t.is(releaseVersion.localeCompare(formerRelease.version, 'en', { numeric: true }), 1);
});
