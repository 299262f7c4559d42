import { Fault } from '@roster/contracts';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  contentOf,
  javascript,
  once,
  type PageContent,
  pageFiles,
  sendContent,
} from '../../http/response/page-files.js';
import { leaveSlot } from '../../http/exchange.js';
import type { Route } from '../../http/routes.js';
import { html, pageHeaders } from '../html.js';
import { docsManifest, pagesStyle } from '../stylesheet.js';
import { type Guide, pageAt, type Place, type Site } from './frame.js';
import type { OpenApi } from './openapi.js';
import { searchIndexOf } from './search-index.js';

/**
 * The documentation at `/docs`: guides, and the reference made from the OpenAPI document. A page is made at its first request, because
 * few gateways are asked for any.
 *
 * @param openapi the document as JSON
 */
export function docsRoutes(name: string, openapi: Buffer): Route[] {
  const site = once(async (): Promise<Site> => {
    const guides = await readFile(join(dirname(docsManifest), 'dist/guides.json'), 'utf8');
    return {
      name,
      guides: JSON.parse(guides) as Guide[],
      openapi: JSON.parse(openapi.toString()) as OpenApi,
    };
  });
  const pages = new Map<Place, Promise<PageContent>>();
  const script = (file: string) => ({
    mediaType: javascript,
    manifest: docsManifest,
    path: `dist/${file}`,
  });
  const page = (path: string, placeOf: (name: string) => Place): Route => ({
    methods: ['GET'],
    path,
    operation: 'docs',
    async answer(ctx) {
      // As the files of a page.
      leaveSlot(ctx);
      const place = placeOf(ctx.params?.['name'] ?? '');
      const made = pages.get(place) ?? makePage(await site(), place);
      if (!made) throw new Fault('not_found', 'No such page.');
      pages.set(place, made);
      Object.assign(ctx.state.headers, pageHeaders);
      await sendContent(ctx, html, await made);
    },
  });
  return [
    page('/docs', () => ''),
    page('/docs/guides/{name}', (guide) => `guides/${guide}`),
    page('/docs/reference/{name}', (tag) => `reference/${tag}`),
    pageFiles('/docs/assets/{file}', 'docs', {
      'docs.js': script('docs.js'),
      'search.js': script('search.js'),
      ...pagesStyle,
      'search.json': {
        mediaType: 'application/json; charset=utf-8',
        make: async () => Buffer.from(JSON.stringify(searchIndexOf(await site()))),
      },
    }),
  ];
}

function makePage(site: Site, place: Place): Promise<PageContent> | undefined {
  const page = pageAt(site, place);
  return page === undefined ? undefined : Promise.resolve(contentOf(Buffer.from(page)));
}
