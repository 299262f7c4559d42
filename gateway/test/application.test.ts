import test from 'ava';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Admission } from '../http/admission/admission.js';
import { Application } from '../http/server/application.js';

test('Koa leaves every request to the method that replaces its own end of a request', async (t) => {
  // Koa does not promise the name: where it has another, requests are answered by Koa's, and nobody notices.
  const handled: string[] = [];
  class Watched extends Application {
    override handleRequest(...given: Parameters<Application['handleRequest']>): Promise<unknown> {
      handled.push(given[0].path);
      return super.handleRequest(...given);
    }
  }
  const app = new Watched(new Admission(1));
  app.use((ctx) => void ctx.res.end('answered'));
  const server = createServer((request, response) => void app.callback()(request, response));
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/somewhere`);
  t.is(await response.text(), 'answered');
  t.deepEqual(handled, ['/somewhere']);
});
