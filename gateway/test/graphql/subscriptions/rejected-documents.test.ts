import { eventually } from '@roster/testing';
import test from 'ava';
import { sharedGateway } from '../../test-gateway.js';
import { followEvents } from './follow-events.js';
import { transports } from './transports.js';

const gateway = sharedGateway(test);

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: rejects documents over the limits, invalid documents and queries with their codes`, async (t) => {
    const key = gateway().stubs.makeKey();
    const limited = gateway().stubs.makeKey({ scopes: ['user'] });
    const codeOf = async (query: string, as = key) => {
      const received = followEvents(transport(t, gateway().url, as), {}, query);
      await eventually(() => received.codes.length > 0);
      return received.codes[0];
    };
    t.is(await codeOf(`subscription { events { ${'id '.repeat(150)} } }`), 'query_too_repetitive');
    const contacts = Array.from({ length: 20 }, (_, n) => `c${n}: current { id }`).join(' ');
    const costly = `subscription { events { ... on ContactEvent { ${contacts} } } }`;
    t.is(await codeOf(costly), 'query_too_costly');
    t.is(await codeOf('subscription { nothing }'), 'GRAPHQL_VALIDATION_FAILED');
    t.is(await codeOf('subscription {'), 'GRAPHQL_PARSE_FAILED');
    t.is(await codeOf('{ me { id } }'), 'subscription_only');
    t.is(await codeOf('subscription { events { id } }', limited), 'insufficient_scope');
  });
}
