import test from 'ava';
import { serverAudits } from 'graphql-http';
import { bearer, testGateway, type TestGateway } from '../../test-gateway.js';

let gateway: TestGateway;
let apiKey: string;
test.before(async () => {
  gateway = await testGateway();
  ({ apiKey } = gateway.stubs.makeKey());
});
test.after.always(() => gateway.close());

test('passes all 61 audits of graphql-http, including the optional ones', async (t) => {
  const audits = serverAudits({
    url: `${gateway.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as object), ...bearer(apiKey) } }),
  });
  t.is(audits.length, 61);
  const results = await Promise.all(audits.map(({ fn }) => fn()));
  const failed = results.flatMap((result) =>
    result.status === 'ok' ? [] : [`${result.status} ${result.name}: ${result.reason}`],
  );
  t.deepEqual(failed, []);
});
