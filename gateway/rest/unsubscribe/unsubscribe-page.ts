import { escaped, pageOf } from '../../pages/html.js';
import { type PageName, texts } from './unsubscribe-texts.js';

/**
 * Nothing but the stylesheet and the form. It must not be framed, or a page of others could make the reader click; and its address,
 * which is a secret, must not be sent to others.
 */
export const unsubscribeHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};

interface Shown {
  name?: string | undefined;
  undo?: string | undefined;
}

/** A page of an unsubscribe link. It contains nothing about the contact: emails are forwarded. */
export function unsubscribePage(page: PageName, language: string, { name, undo }: Shown): string {
  const own = texts[language]!;
  const { title, text, withoutName = text } = own[page];
  const said =
    name === undefined
      ? escaped(withoutName)
      : escaped(text).replace('{name}', () => `<bdi>${escaped(name)}</bdi>`);
  return pageOf({
    title,
    language,
    // Only addresses below `/unsubscribe` need to be public.
    stylesheet: 'assets/pages.css',
    body:
      `<main class="plain"><h1>${escaped(title)}</h1><p>${said}</p>` +
      (page === 'question' ? formOf('List-Unsubscribe', 'One-Click', own.unsubscribe) : '') +
      (page === 'done' && undo !== undefined ? formOf('undo', undo, own.undo, 'quiet') : '') +
      '</main>',
  });
}

// A form without an action sends to the address of the page, whatever a proxy has removed of it. The first body is that of RFC 8058.
const formOf = (field: string, value: string, label: string, style = ''): string =>
  `<form method="post"><input type="hidden" name="${field}" value="${escaped(value)}">` +
  `<button type="submit"${style && ` class="${style}"`}>${escaped(label)}</button></form>`;
