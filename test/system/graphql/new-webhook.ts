import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { startReceiver } from '../receiver.js';
import type { SharedRoster } from '../running-roster.js';
import { newFrontend, range, soon } from './frontend.js';

/** A webhook of a new workspace that has received the creation of some contacts. `delivered` lists its deliveries, newest first. */
export async function newWebhook(
  t: ExecutionContext,
  roster: SharedRoster,
  name: string,
  contacts: number,
) {
  const frontend = await newFrontend(roster, name);
  const { query } = frontend;
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { createWebhook } = await query<{ createWebhook: { webhook: { id: string } } }>(
    `mutation ($url: String!) { createWebhook(input: {url: $url, events: [CONTACT_CREATED]}) { webhook { id } } }`,
    { url: receiver.url },
  );
  const { id } = createWebhook.webhook;
  for (const n of range(contacts))
    await query(
      `mutation { createContact(input: {email: "n${n}@example.com"}) { contact { id } } }`,
    );
  const page = async (args: string) => {
    const data = await query<{ webhook: { deliveries: DeliveryPage } }>(
      `query ($id: ID!) { webhook(id: $id) { deliveries(${args}) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        nodes { id kind status webhook { url } payload attempts(last: 3) { trigger statusCode } } } } }`,
      { id },
    );
    return data.webhook.deliveries;
  };
  const delivered = await eventually(async () => {
    const { nodes } = await page('first: 50, status: DELIVERED');
    return nodes.length === contacts && nodes;
  }, soon);
  const get = async (delivery: string) => {
    const document = `{ node(id: "${delivery}") { ... on Delivery { id status attempts { trigger statusCode } } } }`;
    return (await query<{ node: Delivery }>(document)).node;
  };
  return { ...frontend, receiver, id, page, delivered, get };
}

export interface Delivery {
  id: string;
  kind: string;
  status: string;
  payload: { event: string; data: { contact: { email: string } } };
  attempts: { trigger: string; statusCode: number }[];
  webhook: { url: string };
}

export interface DeliveryPage {
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string;
    endCursor: string;
  };
  nodes: Delivery[];
}
