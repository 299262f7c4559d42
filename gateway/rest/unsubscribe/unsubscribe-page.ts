import { hash } from 'node:crypto';

/** What a page of an unsubscribe link says. */
interface Text {
  title: string;
  text: string;
  /** Whether it has the button that unsubscribes. */
  asks?: true;
}

const texts = {
  question: {
    title: 'Unsubscribe',
    text: 'Do you want to stop receiving these emails?',
    asks: true,
  },
  done: {
    title: 'You are unsubscribed',
    text: 'You will not receive these emails any more. You can close this page.',
  },
  unknown: {
    title: 'This link is not valid',
    text: 'It may be incomplete, or your address may have been deleted already. Open the link in the email again.',
  },
  failed: {
    title: 'You are not unsubscribed yet',
    text: 'The request could not be completed. Open the link in the email again in a minute.',
  },
} satisfies Record<string, Text>;

const style =
  'body{margin:0;background:#fff;color:#1b1b1b;font:1.125rem/1.5 system-ui,sans-serif}' +
  'main{max-width:32rem;margin:12vh auto;padding:0 1rem}' +
  'button{padding:.75rem 1.5rem;border:0;border-radius:.25rem;background:#0b57a4;color:#fff;font:inherit;cursor:pointer}' +
  'button:focus-visible{outline:3px solid #1b1b1b;outline-offset:2px}' +
  '@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#f4f4f4}button:focus-visible{outline-color:#fff}}';

/**
 * Nothing but the style and the form. It must not be framed, or a page of others could make the reader click; and its address, which
 * is a secret, must not be sent to others.
 */
export const pageHeaders = {
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};

// A form without an action sends to the address of the page, whatever a proxy has removed of it. Its body is that of RFC 8058.
const form =
  '<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">' +
  '<button type="submit">Unsubscribe</button></form>';

const pageOf = ({ title, text, asks }: Text): Buffer =>
  Buffer.from(
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
      '<meta name="viewport" content="width=device-width, initial-scale=1">' +
      `<title>${title}</title><style>${style}</style></head>` +
      `<body><main><h1>${title}</h1><p>${text}</p>${asks ? form : ''}</main></body></html>\n`,
  );

/** The pages of unsubscribe links. They contain nothing about the contact: emails are forwarded. */
export const unsubscribePages = {
  question: pageOf(texts.question),
  done: pageOf(texts.done),
  unknown: pageOf(texts.unknown),
  failed: pageOf(texts.failed),
};
