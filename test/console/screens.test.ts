import test from 'ava';
import { gzipSync } from 'node:zlib';
import { sharedRoster, type SharedRoster } from '../system/running-roster.js';
import { accessibilityFindings } from '@roster/testing/browser';
import { closeBrowser, openConsole } from './open-console.js';

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});
test.after.always(closeBrowser);

const screens = {
  '/contacts': 'Contacts',
  '/webhooks': 'Webhooks',
  '/deliveries': 'Deliveries',
  '/events': 'Events',
  '/imports': 'Imports',
  '/keys': 'Keys',
  '/users': 'Users',
  '/audit': 'Audit log',
  '/settings': 'Settings',
};

for (const width of [1280, 390])
  for (const colorScheme of ['light', 'dark'] as const)
    test.serial(
      `at ${width} px and ${colorScheme}, no screen has a finding of axe or is wider than the window`,
      async (t) => {
        const workspace = await roster.newWorkspace(`Screens ${width} ${colorScheme}`);
        const page = await openConsole(
          t,
          { baseUrl: roster.baseUrl, ...workspace },
          { viewport: { width, height: 820 }, colorScheme },
        );
        if (!page) return;
        for (const [path, title] of Object.entries(screens)) {
          await page.goto(`${roster.baseUrl}/console${path}`);
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
          await page.waitForLoadState('networkidle');
          t.deepEqual(await accessibilityFindings(page), [], path);
          const scrollWidth: number = await page.evaluate('document.documentElement.scrollWidth');
          t.true(scrollWidth <= width, `${path}: ${scrollWidth} px`);
        }
      },
    );

test.serial(
  'the keyboard opens every screen, the palette and the list of keys, and focus returns',
  async (t) => {
    const workspace = await roster.newWorkspace('Keyboard');
    const page = await openConsole(t, { baseUrl: roster.baseUrl, ...workspace });
    if (!page) return;
    for (const [key, title] of Object.entries({
      w: 'Webhooks',
      k: 'Keys',
      s: 'Settings',
      c: 'Contacts',
    })) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('audit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    const opener = page.getByRole('button', { name: /Find or go to/ }).first();
    await opener.focus();
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    t.true(await opener.evaluate((element) => element === element.ownerDocument.activeElement));
  },
);

test.serial(
  'the first screen loads at most 120 KiB of scripts and 10 KiB of styles, compressed',
  async (t) => {
    const workspace = await roster.newWorkspace('Bytes');
    const page = await openConsole(t, { baseUrl: roster.baseUrl, ...workspace });
    if (!page) return;
    await page.waitForLoadState('networkidle');
    const urls = new Set<string>();
    page.on('request', (request) => {
      if (/\.(?:js|css)$/.test(new URL(request.url()).pathname)) urls.add(request.url());
    });
    await page.goto(`${roster.baseUrl}/console/contacts`);
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
    await page.waitForLoadState('networkidle');
    const bytes = await Promise.all(
      [...urls].map(async (url): Promise<[string, number]> => {
        const response = await fetch(url);
        return [url, gzipSync(await response.bytes()).length];
      }),
    );
    const sum = (ending: string) =>
      bytes.reduce((all, [path, size]) => all + (path.endsWith(ending) ? size : 0), 0);
    t.true(bytes.length > 2);
    t.true(sum('.js') <= 120 * 1024, `${sum('.js')} bytes of scripts`);
    t.true(sum('.css') <= 10 * 1024, `${sum('.css')} bytes of styles`);
  },
);

test.serial(
  'a violation of the policy is noticed: an inline style, an inline script, another host, and HTML as text',
  async (t) => {
    const workspace = await roster.newWorkspace('Policy');
    const problems: string[] = [];
    const page = await openConsole(t, { baseUrl: roster.baseUrl, ...workspace }, { problems });
    if (!page) return;
    const violated: string[] = await page.evaluate(violate);
    for (const directive of ['style-src-attr', 'connect-src', 'require-trusted-types-for'])
      t.true(violated.includes(directive), `${directive} in ${violated.join(', ')}`);
    t.true(problems.length > 0);
  },
);

const violate = `(async () => {
  const directives = [];
  document.addEventListener('securitypolicyviolation', (event) => directives.push(event.effectiveDirective));
  const element = document.createElement('div');
  element.setAttribute('style', 'color: red');
  const script = document.createElement('script');
  try {
    script.append('globalThis.ran = true');
    document.body.append(element, script);
  } catch {}
  document.body.append(element);
  await fetch('http://127.0.0.1:9/').catch(() => undefined);
  try {
    element.innerHTML = '<b>text</b>';
  } catch {}
  const expected = ['style-src-attr', 'connect-src', 'require-trusted-types-for'];
  // Violations are reported later.
  for (let n = 0; n < 500 && !expected.every((one) => directives.includes(one)); n += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return directives;
})()`;
