/**
 * `npm run build` of this package: writes the stylesheet of the gateway's pages with its font, and the guides as HTML with their sections for the
 * search. A link to a section that does not exist fails the build.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { guides } from './guides.mjs';
import { renderGuide } from './render-guide.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const read = (path) => readFileSync(`${here}/${path}`, 'utf8');

const rendered = guides.map((guide) =>
  renderGuide(guide, readFileSync(`${here}/../../${guide.file}`, 'utf8')),
);
requireTargets();
mkdirSync(`${here}/dist`, { recursive: true });
writeFileSync(`${here}/dist/guides.json`, JSON.stringify(rendered.map(({ guide }) => guide)));
writeFileSync(
  `${here}/dist/pages.css`,
  ['../console/src/style/tokens.css', 'style/pages.css'].map(read).join('\n'),
);
copyFileSync(
  fileURLToPath(
    import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  ),
  `${here}/dist/inter.woff2`,
);

function requireTargets() {
  const ids = new Map(
    rendered.map(({ guide: { slug, sections } }) => [slug, sections.map(({ id }) => id)]),
  );
  const missing = rendered.flatMap(({ guide: { slug: from }, links }) =>
    links
      .filter(({ slug, id }) => id !== '' && !ids.get(slug).includes(id))
      .map(({ slug, id }) => `${from} refers to ${slug}#${id}, which does not exist.`),
  );
  if (missing.length > 0) throw new Error(missing.join('\n'));
}
