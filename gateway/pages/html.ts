import type { OutgoingHttpHeaders } from 'node:http';

export const html = 'text/html; charset=utf-8';

/** Text as HTML, also as the value of an attribute in double quotes. */
export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Text with `code` of Markdown, as HTML. */
export const escapedWithCode = (text: string): string =>
  escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

export interface PageParts {
  title: string;
  /** HTML. */
  body: string;
  /** Relative path of the stylesheet, because the gateway can be mounted below any path. */
  stylesheet: string;
  /** Relative path of a module. */
  script?: string;
  language?: string;
}

/** A page of the gateway, complete in HTML. */
export const pageOf = ({ title, body, stylesheet, script, language = 'en' }: PageParts): string =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet}">
${script === undefined ? '' : `<script type="module" src="${script}"></script>\n`}</head>
<body>
${body}
</body>
</html>
`;

/** Allows only resources of this origin, and none in the page itself. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

export const pageHeaders: OutgoingHttpHeaders = { 'Content-Security-Policy': pagePolicy };
