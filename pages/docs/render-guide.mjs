import MarkdownIt from 'markdown-it';
import { posix } from 'node:path';

import { guides } from './guides.mjs';

/** Characters of HTML in the text are escaped: the guides are text alone. */
const markdown = new MarkdownIt({ html: false });
const { rules } = markdown.renderer;
// Wide tables and code are scrolled, which a keyboard can do too.
rules.table_open = () => '<div class="wide" tabindex="0"><table>';
rules.table_close = () => '</table></div>';
rules.fence = ([...tokens], index) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index].content)}</code></pre>\n`;
rules.code_block = rules.fence;

/** A guide as HTML, with the text of each section for the search, and its links to sections of guides. */
export function renderGuide({ file, omit, ...guide }, text) {
  const tokens = omitSection(markdown.parse(text, {}), omit);
  const sections = [];
  const links = [];
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const title = textOf(tokens[index + 1]);
      const id = token.tag === 'h1' ? '' : uniqueId(title, sections);
      if (id) token.attrSet('id', id);
      sections.push({ id, level: Number(token.tag[1]), title, text: '' });
    } else if (token.type === 'inline' && tokens[index - 1].type !== 'heading_open')
      sections.at(-1).text += `${textOf(token)} `;
    else if (token.type === 'fence') sections.at(-1).text += `${token.content} `;
    if (token.type === 'inline')
      token.children = relinked(token.children, file, guide.slug, (link) => links.push(link));
  });
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { guide: { ...guide, html, sections }, links };
}

function omitSection(tokens, omitted) {
  let isOmitted = false;
  return tokens.filter((token, index) => {
    if (token.type === 'heading_open' && token.tag <= 'h2')
      isOmitted = idOf(textOf(tokens[index + 1])) === omitted;
    return !isOmitted;
  });
}

const textOf = ({ children }) =>
  children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

/** As GitHub makes them, so that the links of the files work there too. */
const idOf = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

function uniqueId(title, sections) {
  const id = idOf(title);
  const others = sections.filter((one) => one.id === id || one.id.startsWith(`${id}-`));
  return others.some((one) => one.id === id) ? `${id}-${others.length}` : id;
}

/** Links to files of the repository become links to the guides made from them, or the text alone. */
function relinked(tokens, file, slug, onLink) {
  let isDropped = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const target = targetOf(token.attrGet('href'), file, slug);
      isDropped = target === undefined;
      if (target) token.attrSet('href', target.href);
      if (target?.id !== undefined) onLink(target);
      return !isDropped;
    }
    return token.type !== 'link_close' || !isDropped;
  });
}

function targetOf(href, file, from) {
  if (/^https?:/.test(href)) return { href };
  const base = from === '' ? 'docs/' : '../';
  // Pages that the gateway makes from the OpenAPI document.
  if (href.startsWith('/docs/')) return { href: base + href.slice('/docs/'.length) };
  const [path, id = ''] = href.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  const guide = guides.find((one) => one.file === target);
  if (!guide) return undefined;
  if (guide.omit !== undefined && id === guide.omit) return { href: `${base}reference/contacts` };
  const page = guide.slug === '' ? `${base}../docs` : `${base}guides/${guide.slug}`;
  return { href: path === '' ? `#${id}` : page + (id && `#${id}`), slug: guide.slug, id };
}
