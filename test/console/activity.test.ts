import { Roster } from '@roster/client';
import { eventually } from '@roster/testing';
import test from 'ava';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedRoster } from '../system/running-roster.js';
import { closeBrowser, openConsole } from './open-console.js';

const patient = { timeoutMs: 60_000 };

test.after.always(closeBrowser);

test.serial(
  'a delivery that arrives changes where it is listed before the list is read again by itself',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Activity');
    const roster = new Roster({ apiKey, baseUrl });
    let status = 500;
    const receiver = createServer((_, response) => response.writeHead(status).end());
    t.teardown(() => receiver.close());
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    const webhook = await roster.webhooks.create({
      url: `http://127.0.0.1:${port}`,
      events: ['CONTACT_CREATED'],
    });
    await roster.contacts.create({ email: 'ada@example.com' });
    const delivery = await eventually(async () => {
      const { deliveries } = await roster.deliveries.list(webhook.id);
      return deliveries.find(({ attemptCount }) => attemptCount > 0);
    });
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    const announced: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"activity":')) announced.push(String(payload));
      }),
    );
    await page.clock.install();
    await page.goto(`${baseUrl}/console/deliveries?status=all`);
    const row = page.getByRole('row').filter({ hasText: 'ada@example.com' });
    await row.getByText('500').waitFor();
    await eventually(() => announced.length > 0, patient);
    // From now on, timers of the page run only as told: it does not read the list again by itself.
    await page.clock.pauseAt(Date.now() + 1000);
    status = 200;
    await roster.deliveries.retry(delivery.id);
    const isAnnounced = (text: string) => text.includes(delivery.id) && text.includes('DELIVERED');
    await eventually(() => announced.some(isAnnounced), patient);
    let leftMs = 15_000;
    await eventually(async () => {
      const stepMs = leftMs > 0 ? 100 : 1;
      await page.clock.runFor(stepMs);
      leftMs -= stepMs;
      return row.getByText('200').isVisible();
    }, patient);
    t.is(await row.getByText('Pending').count(), 0);
  },
);

test.serial(
  'a webhook whose circuit is opened is shown as failing, with its attempts, before it is read again by itself',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Circuit');
    const roster = new Roster({ apiKey, baseUrl });
    const receiver = createServer((_, response) => response.writeHead(503).end());
    t.teardown(() => receiver.close());
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    const { id } = await roster.webhooks.create({
      url: `http://127.0.0.1:${port}`,
      events: ['CONTACT_CREATED'],
    });
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    let announced = 0;
    let circuits = 0;
    await page.routeWebSocket(/\/graphql$/, (socket) => {
      const gateway = socket.connectToServer();
      gateway.onMessage((message) => {
        const text = String(message);
        if (!text.includes('"activity":')) return socket.send(message);
        announced += 1;
        const sent = JSON.parse(text) as { payload: { data: { activity: Activity } } };
        const { activity } = sent.payload.data;
        circuits += activity.webhooks.length;
        // The page learns of circuits alone.
        socket.send(
          JSON.stringify({
            ...sent,
            payload: { data: { activity: { ...activity, deliveries: [], more: false } } },
          }),
        );
      });
    });
    await page.clock.install();
    await page.goto(`${baseUrl}/console/webhooks/${id}`);
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText('–').first().waitFor();
    await eventually(() => announced > 0, patient);
    // From now on, timers of the page run only as told: it reads nothing again by itself.
    await page.clock.pauseAt(Date.now() + 1000);
    await roster.contacts.create({ email: 'ada@example.com' });
    await eventually(async () => (await roster.webhooks.get(id)).status === 'failing', patient);
    await eventually(() => circuits > 0, patient);
    let leftMs = 15_000;
    await eventually(async () => {
      const stepMs = leftMs > 0 ? 100 : 1;
      await page.clock.runFor(stepMs);
      leftMs -= stepMs;
      return page.getByText('Failing', { exact: true }).isVisible();
    }, patient);
    await health.getByText('0%').waitFor();
    t.true(leftMs > 0);
  },
);

interface Activity {
  deliveries: object[];
  webhooks: object[];
}
