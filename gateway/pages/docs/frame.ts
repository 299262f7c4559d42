import { escaped, pageOf } from '../html.js';
import { type OpenApi, operationsByTag, slugOf } from './openapi.js';
import { methodOf, referenceOf } from './reference-page.js';

/** A guide, as `pages/docs/build.mjs` writes it. */
export interface Guide {
  /** Empty for the page `/docs`. */
  slug: string;
  group: string;
  label: string;
  /** Titles of sections that the navigation lists, and their IDs. */
  also?: Record<string, string>;
  html: string;
  sections: { id: string; level: number; title: string; text: string }[];
}

export interface Site {
  name: string;
  guides: Guide[];
  openapi: OpenApi;
}

/** Where a page is: below `/docs`, without it. Empty for `/docs` itself. */
export type Place = string;

/** The page at a place, or undefined if there is none. */
export function pageAt(site: Site, place: Place): string | undefined {
  const guide = site.guides.find(({ slug }) => place === (slug && `guides/${slug}`));
  if (guide) {
    const content = `<article class="guide">${guide.html}</article>`;
    return framed(site, place, guide.sections[0]?.title ?? guide.label, content);
  }
  const found = [...operationsByTag(site.openapi)].find(
    ([tag]) => place === `reference/${slugOf(tag)}`,
  );
  if (!found) return undefined;
  const [tag, all] = found;
  return framed(site, place, tag, referenceOf(site.openapi, tag, all));
}

/** A page of the documentation: the frame around its content. */
function framed(site: Site, place: Place, title: string, content: string): string {
  const docs = place === '' ? 'docs/' : '../';
  const root = place === '' ? '' : '../../';
  const home = `${root === '' ? '' : root}docs`;
  return pageOf({
    title: place === '' ? `${site.name} documentation` : `${title} · ${site.name}`,
    stylesheet: `${docs}assets/pages.css`,
    script: `${docs}assets/docs.js`,
    body:
      `<a class="skip" href="#content">Skip to the content</a>` +
      `<header class="top"><a class="brand" href="${home}">${escaped(site.name)} <span>documentation</span></a>` +
      `<search id="search" hidden data-docs="${docs}"><label for="find">Search the documentation</label>` +
      `<input id="find" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="count">` +
      `<p id="count" role="status"></p><ul id="found" hidden></ul></search>` +
      `<a href="${root}console">Console</a><a href="${root}v1/openapi.json">OpenAPI</a><a href="${root}problems">Problems</a></header>` +
      `<div class="frame"><details class="contents"><summary>Contents</summary>` +
      `<nav aria-label="Documentation">${navigationOf(site, place, docs, home)}</nav></details>` +
      `<main id="content" tabindex="-1">${content}</main></div>`,
  });
}

function navigationOf({ guides, openapi }: Site, place: Place, docs: string, home: string): string {
  const link = (href: string, text: string, isCurrent: boolean) =>
    `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${text}</a></li>`;
  const groups = Map.groupBy(guides, ({ group }) => group);
  const guideLists = [...groups].map(([group, all]) => {
    const links = all.flatMap(({ slug, label, also = {} }) => {
      const href = slug === '' ? home : `${docs}guides/${slug}`;
      return [
        link(href, escaped(label), place === (slug && `guides/${slug}`)),
        ...Object.entries(also).map(([title, id]) => link(`${href}#${id}`, escaped(title), false)),
      ];
    });
    return `<h2>${escaped(group)}</h2><ul>${links.join('')}</ul>`;
  });
  const reference = [...operationsByTag(openapi)].map(([tag, all]) => {
    const href = `${docs}reference/${slugOf(tag)}`;
    const isCurrent = place === `reference/${slugOf(tag)}`;
    const links = all.map(({ method, operation }) =>
      link(
        `${isCurrent ? '' : href}#${escaped(operation.operationId)}`,
        `${methodOf(method)} <span>${escaped(operation.summary)}</span>`,
        false,
      ),
    );
    return (
      `<details${isCurrent ? ' open' : ''}><summary>${escaped(tag)}</summary>` +
      `<ul class="operations">${links.join('')}</ul></details>`
    );
  });
  return `${guideLists.join('')}<h2>Reference</h2>${reference.join('')}`;
}
