import test from 'ava';
import { encodeId, eventKinds, operations } from '../index.js';

const { input } = operations['webhooks.create'];
const urlOf = (url: string) => input.safeParse({ url, events: ['CONTACT_CREATED'] }).data?.url;

test('keeps the URL of a webhook, except for the spaces that URL parsers ignore', (t) => {
  for (const url of [
    'https://example.com/a%20b?c= d',
    'HTTPS://Example.com',
    'https://example.com/é',
  ])
    t.is(urlOf(url), url);
  for (const url of [
    ' https://example.com/a',
    'https://example.com/a \t',
    '\u0001https://example.com/a\n',
  ])
    t.is(urlOf(url), 'https://example.com/a', JSON.stringify(url));
  t.is(urlOf('https://exam\r\nple.com/a\tb'), 'https://example.com/ab');
});

test('the kinds of a replay and of the event log lose their duplicates, and are as many as there are kinds at most', (t) => {
  const replay = {
    webhookId: encodeId('webhook', '01935a2e-7b00-7000-8000-000000000000'),
    since: '2026-01-31T09:00:00Z',
  };
  const twice = ['CONTACT_CREATED', 'CONTACT_DELETED', 'CONTACT_CREATED'];
  const parsers = [
    (kinds: string[]) => operations['replays.create'].input.safeParse({ ...replay, kinds }),
    (kinds: string[]) => operations['event-log.list'].input.safeParse({ kinds }),
  ];
  for (const parse of parsers) {
    t.deepEqual(parse(twice).data?.kinds, ['CONTACT_CREATED', 'CONTACT_DELETED']);
    t.false(parse(Array.from({ length: eventKinds.length + 1 }, () => 'CONTACT_CREATED')).success);
  }
});

test('refuses URLs with another scheme, credentials or a fragment', (t) => {
  for (const url of [
    'ftp://example.com/',
    'javascript:alert(1)',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://example.com/#',
    ' ',
    'example.com',
    'https://',
  ])
    t.is(urlOf(url), undefined, url);
});

test('refuses URLs with a host that cannot exist', (t) => {
  const label = 'a'.repeat(63);
  for (const host of [
    'a..b',
    '.a',
    'a..',
    '.',
    '-.com',
    '-a.com',
    'a-.com',
    'a!b.com',
    'a~b.com',
    `${label}a.com`,
    `${label}.${label}.${label}.${label}`,
  ])
    t.is(urlOf(`https://${host}/`), undefined, host);
  for (const host of [
    'localhost',
    'example.com.',
    'a-b.example.com:8443',
    'my_service',
    'münchen.example',
    'EXAMPLE.com',
    '192.0.2.1',
    '[2001:db8::1]',
    `${label}.${label}.${label}.${label.slice(2)}`,
  ])
    t.is(urlOf(`https://${host}/`), `https://${host}/`, host);
});
