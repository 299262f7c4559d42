import { Fault } from '@roster/contracts';
import { createRequire } from 'node:module';
import { readdir } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { type HttpContext, leaveSlot } from '../http/exchange.js';
import {
  contentOf,
  javascript,
  once,
  type PageContent,
  readOnce,
  sendContent,
  stylesheet,
} from '../http/response/page-files.js';
import type { Route } from '../http/routes.js';
import { send } from '../http/response/send.js';
import { sendCompressed } from '../http/response/send-compressed.js';
import { html } from './html.js';

const require = createRequire(import.meta.url);

/** Allows only resources of this origin, and no inline script or style. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const headers = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' };

const mediaTypes: Record<string, string> = {
  '.js': javascript,
  '.css': stylesheet,
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/** Names of these files contain a hash of their content. */
const hashed = 'assets/';
const index = 'index.html';

type Files = Map<string, () => Promise<PageContent>>;

/**
 * The console at `/console`, built by Vite: its files, and for every other path below it the page, which shows the screen of that
 * path. Read at the first request, because few gateways are asked for it.
 */
export function consoleRoutes(): Route[] {
  const folder = join(dirname(require.resolve('@roster/console/package.json')), 'dist');
  const files = once(async (): Promise<Files> => {
    const names = await readdir(folder, { recursive: true });
    // Those of folders with a dot are for the image.
    const served = names.filter((name) => !name.startsWith('.'));
    return new Map(
      served.map((name) => [name.replaceAll(sep, '/'), readOnce(join(folder, name))] as const),
    );
  });
  const pages = new Map<string, PageContent>();
  const route = (
    path: string,
    answer: (ctx: HttpContext, files: Files) => Promise<void>,
  ): Route => ({
    methods: ['GET'],
    path,
    operation: 'console',
    async answer(ctx) {
      // As the files of other pages.
      leaveSlot(ctx);
      Object.assign(ctx.state.headers, headers);
      await answer(ctx, await files());
    },
  });
  const sendPage = async (ctx: HttpContext, files: Files, up: string): Promise<void> => {
    let page = pages.get(up);
    if (!page) pages.set(up, (page = pageBelow(await contentIn(files, index), up)));
    await sendContent(ctx, html, page);
  };

  return [
    route('/console', (ctx, found) => sendPage(ctx, found, './console/')),
    route('/console/*', (ctx, found) => {
      const path = ctx.params!['*'] ?? '';
      const isFile = path !== index && mediaTypes[extname(path)] !== undefined && found.has(path);
      if (isFile) return sendFile(ctx, path, found);
      // A file of another release must not be taken for a page.
      if (path.startsWith(hashed)) throw new Fault('not_found', 'No such file.');
      return sendPage(ctx, found, stepsUp(path));
    }),
  ];
}

async function sendFile(ctx: HttpContext, path: string, files: Files): Promise<void> {
  const mediaType = mediaTypes[extname(path)]!;
  const content = await contentIn(files, path);
  if (!path.startsWith(hashed)) return sendContent(ctx, mediaType, content);
  ctx.state.headers['Cache-Control'] = 'public, max-age=31536000, immutable';
  const { bytes, compressor } = content;
  // Fonts are compressed already.
  if (mediaType.startsWith('font/')) send(ctx, 200, mediaType, bytes);
  else await sendCompressed(ctx, 200, mediaType, bytes, compressor);
}

function contentIn(files: Files, name: string): Promise<PageContent> {
  const read = files.get(name);
  if (!read) throw new Error(`${name} of the console is missing: build it`);
  return read();
}

/** More segments than any screen has: the pages of all depths are kept. */
const stepsMax = 8;

/** The folder of the console, relative to a path below it. */
function stepsUp(path: string): string {
  const steps = path.split('/').length - 1;
  if (steps > stepsMax) throw new Fault('not_found', 'No such page.');
  return steps === 0 ? './' : '../'.repeat(steps);
}

/** The page with the addresses of its files relative to a path below the console, because the gateway can be mounted anywhere. */
const pageBelow = ({ bytes }: PageContent, up: string): PageContent =>
  contentOf(
    Buffer.from(
      Buffer.from(bytes)
        .toString()
        .replaceAll(/(href|src)="\.\//g, `$1="${up}`),
    ),
  );
