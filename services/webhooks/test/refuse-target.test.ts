import { Fault } from '@roster/contracts';
import { TargetPolicy } from '@roster/process/targets';
import { callAs } from '@roster/testing';
import test from 'ava';
import { refuseTarget } from '../webhook.js';
import { makeWebhook, makeWorkspace, webhooksBench } from './webhooks-bench.js';

const bench = webhooksBench(test, {
  targets: { allow: ['127.0.0.0/8', '10.1.0.0/16'], allowHttp: true },
});
const strict = new TargetPolicy({ allow: [], deny: [], allowHttp: false });

/** The message for a URL, or undefined if it is accepted. */
function messageFor(url: string, targets = strict): string | undefined {
  try {
    refuseTarget(url, { targets });
    return undefined;
  } catch (error) {
    return (error as Fault).details.errors?.[0]?.message;
  }
}

test('refuses addresses in a URL that deliveries are not sent to, in any notation', (t) => {
  const only = 'must have a public address;';
  for (const [host, what] of [
    ['10.0.0.1', '10.0.0.1 is private'],
    ['0x0a000001', '10.0.0.1 is private'],
    ['127.0.0.1:8080', '127.0.0.1 is a loopback address'],
    ['localhost', '127.0.0.1 is a loopback address'],
    ['hooks.localhost', '127.0.0.1 is a loopback address'],
    ['[::1]', '::1 is a loopback address'],
    ['[fd00::1]', 'fd00::1 is private'],
    ['169.254.169.254', '169.254.169.254 is link-local'],
    ['100.64.0.1', '100.64.0.1 is private (carrier-grade NAT)'],
    ['0.0.0.0', '0.0.0.0 is unspecified'],
    ['192.0.0.1', '192.0.0.1 is reserved (IETF protocol assignments)'],
    ['[::ffff:10.0.0.1]', '::ffff:a00:1 is private'],
  ] as const)
    t.is(messageFor(`https://${host}/hook`), `${only} ${what}`);
});

test('refuses ports and schemes that deliveries are not sent to', (t) => {
  const ports = 'must have the port 80, 443 or one from 1024';
  t.is(messageFor('https://example.com:25/'), `${ports}; port 25 is not allowed`);
  t.is(messageFor('http://10.0.0.1/'), 'must be an https URL');
});

test('accepts host names, public addresses, and what the configuration allows', (t) => {
  for (const url of ['https://example.com', 'https://8.8.8.8:8443/', 'https://[2606:2800::1]/'])
    t.is(messageFor(url), undefined, url);
  const allow = ['10.0.0.0/8', '::1/128'];
  const lax = new TargetPolicy({ allow, deny: [], allowHttp: true, allowPorts: [25] });
  for (const url of [
    'http://10.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'http://a.test:25',
  ])
    t.is(messageFor(url, lax), undefined, url);
});

test('creates and updates webhooks with allowed targets, and no others', async (t) => {
  const workspace = makeWorkspace();
  const { id, url } = await makeWebhook(bench(), workspace, { url: 'http://127.0.0.1:9000/hooks' });
  t.is(url, 'http://127.0.0.1:9000/hooks');
  const message = 'must have a public address; 10.2.0.1 is private';
  const refused = { code: 'invalid', details: { errors: [{ pointer: '/url', message }] } };
  const wrong = { url: 'https://10.2.0.1/' };
  t.like(await t.throwsAsync(makeWebhook(bench(), workspace, wrong)), refused);
  const update = (input: { url: string }) =>
    bench().bus.call('webhooks.update', { webhookId: id, ...input }, callAs(workspace));
  t.like(await t.throwsAsync(update(wrong)), refused);
  t.is((await update({ url: 'https://10.1.0.1/' })).webhook.url, 'https://10.1.0.1/');
});
