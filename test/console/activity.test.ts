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
