import test from 'ava';
import { problemIn } from '../problem-document.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('a browser is shown a page with links that work from any depth, below any path', async (t) => {
  for (const path of [
    '/nothing',
    '/nothing/',
    '/a/b/c',
    '/docs/guides/nothing',
    '/problems/nothing',
  ]) {
    const response = await fetch(gateway().url + path, { headers: html });
    t.is(response.status, 404, path);
    t.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
    t.regex(response.headers.get('content-security-policy')!, /default-src 'none'/);
    const page = await response.text();
    for (const [, link] of page.matchAll(/ href="([^"]+)"/g)) {
      if (link!.startsWith('data:')) continue;
      const below = new URL(link!, `http://x/mounted/here${path}`).pathname;
      t.true(below.startsWith('/mounted/here/'), `${path} ${link}`);
      const target = await fetch(new URL(link!, gateway().url + path));
      t.is(target.status, 200, `${path} ${link}`);
    }
  }
});

test('programs get a problem document, and so does everyone below /v1', async (t) => {
  for (const [path, init] of [
    ['/nothing', {}],
    ['/nothing', { method: 'POST', headers: html }],
    ['/v1/nothing', { headers: html }],
    ['/docs/guides/nothing', { headers: { accept: 'application/json' } }],
  ] as const)
    t.is((await problemIn(await fetch(gateway().url + path, init))).code, 'not_found', path);
  const contact = await gateway().send('/v1/contacts/none', { headers: { ...html } });
  t.is((await problemIn(contact)).code, 'not_found');
});
