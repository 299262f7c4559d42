import test from 'ava';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Admission } from '../../http/admission/admission.js';
import { Application } from '../../http/app.js';

test('Koa calls the overridden handleRequest for every request', async (t) => {
  // The method is private in Koa. If Koa renames it, requests are handled by Koa's own, and every other test still passes.
  const handled: string[] = [];
  class Watched extends Application {
    override handleRequest(...given: Parameters<Application['handleRequest']>): Promise<unknown> {
      handled.push(given[0].path);
      return super.handleRequest(...given);
    }
  }
  const app = new Watched(new Admission(1));
  app.use((ctx) => void ctx.res.end('response'));
  const server = createServer((request, response) => void app.callback()(request, response));
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/somewhere`);
  t.is(await response.text(), 'response');
  t.deepEqual(handled, ['/somewhere']);
});
