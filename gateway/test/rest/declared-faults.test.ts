import { commonFaults, Fault, httpStatus, type FaultCode } from '@roster/contracts';
import { sampleContent } from '@roster/testing';
import test from 'ava';
import { restOperations } from '../../rest/rest-operations.js';
import { problemIn } from '../problem-document.js';
import { bearer, testGateway, type TestGateway } from '../test-gateway.js';
import { targetOf } from './path-of.js';

interface Document {
  paths: Record<string, Record<string, { responses: object }>>;
}

let gateway: TestGateway;
let document: Document;
test.before(async () => {
  gateway = await testGateway();
  document = (await (await gateway.send('/v1/openapi.json')).json()) as Document;
});
test.after.always(() => gateway.close());

/** Common faults of services. The other common faults are created by the gateway. */
const serviceFaults: readonly FaultCode[] = ['invalid', 'internal', 'unavailable', 'timeout'];

for (const operation of restOperations) {
  const { name, faults, http } = operation;
  const send = (headers: Record<string, string>) => {
    const { type, body } = sampleContent(operation);
    return fetch(gateway.url + targetOf(operation), {
      method: http.method,
      headers: { 'content-type': type, ...headers },
      body: http.method === 'GET' ? null : body,
    });
  };

  test(`${name} rejects a request without a key, and is not called`, async (t) => {
    const { code } = await problemIn(await send({ 'x-request-id': 'no-key' }));
    t.is(code, 'unauthenticated');
    t.false(gateway.stubs.calls(name).some(({ requestId }) => requestId === 'no-key'));
  });

  test(`${name} answers each of its faults with the status that OpenAPI describes`, async (t) => {
    const { apiKey } = gateway.stubs.makeKey();
    const codes = [...serviceFaults, ...faults];
    gateway.stubs.answer(name, ({ requestId }) => {
      const code = codes.find((one) => one === requestId);
      return code && new Fault(code, 'Refused.');
    });
    for (const code of codes) {
      const refused = await problemIn(await send({ ...bearer(apiKey), 'x-request-id': code }));
      t.like(refused, { code, status: httpStatus[code] });
    }
    const described = Object.keys(document.paths[http.path]![http.method.toLowerCase()]!.responses);
    for (const code of [...commonFaults, ...faults])
      t.true(described.includes(String(httpStatus[code])), `OpenAPI lacks ${code} of ${name}`);
  });
}
