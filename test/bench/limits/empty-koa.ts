/** Koa with a constant response of the size of a contact: the upper limit of any program that uses Koa. */
import type { AddressInfo } from 'node:net';
import Koa from 'koa';

const body = Buffer.from(JSON.stringify({ contact: { name: 'x'.repeat(220) } }));
const app = new Koa();
app.use((ctx) => {
  ctx.type = 'application/json';
  ctx.body = body;
});
const server = app.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.on('disconnect', () => process.exit());
