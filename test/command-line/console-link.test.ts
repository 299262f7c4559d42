import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';

interface Opened {
  workspace: { name: string };
  token: string;
}

const openIn = (baseUrl: string, link: string) =>
  fetch(`${baseUrl}/console/session/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ link }),
  });

test('the printed link opens a session once, whose token reads the workspace of the key', async (t) => {
  const { baseUrl, roster } = await sharedRoster(t);
  const { url } = (await roster('console', 'link')) as { url: string };
  const [page, link] = url.split('#link=') as [string, string];
  t.is(page, `${baseUrl}/console`);
  t.is((await fetch(page)).status, 200);
  const opened = await openIn(baseUrl, link);
  t.is(opened.status, 201);
  const signedIn = (await opened.json()) as Opened;
  t.like(signedIn, { workspace: { name: 'Demo' } });
  const read = await fetch(`${baseUrl}/v1/api-keys`, {
    headers: { authorization: `Bearer ${signedIn.token}` },
  });
  t.is(read.status, 200, 'the sign-in is fresh');
  t.is((await openIn(baseUrl, link)).status, 401);
});
