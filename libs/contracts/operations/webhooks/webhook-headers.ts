import { z } from 'zod';
import { entriesAtMost } from '../../entries-at-most.js';

/** A value of a header; its characters are checked with its name. */
export const ownHeaderValue = z.string().max(1024);

/** Headers of the owner of a webhook, which its deliveries have beside those of the system. */
export const ownHeadersMax = 10;
/** Characters of all names and values. */
export const ownHeadersLengthMax = 4096;

/** A header name of RFC 9110, without its rarer characters. */
const nameShape = /^[a-z][a-z0-9_-]{0,63}$/i;
/** Visible ASCII, with spaces and tabs between: neither CR, LF nor NUL can end the header. */
const valueShape = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that deliveries have, that describe their body, or that apply to a connection only (RFC 9110, 7.6.1). */
const reserved: ReadonlySet<string> = new Set([
  ...['host', 'content-type', 'content-length', 'content-encoding', 'content-range', 'user-agent'],
  ...['accept-encoding', 'expect', 'date', 'traceparent', 'tracestate', 'baggage'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
]);
/** Those with the name of the service, whatever it is: `X-Roster-Event`. */
const ofService = /^x-.+-(?:event|delivery|event-id|webhook-id|signature|signature-previous)$/;
/** Those that a later release may set. */
const ofDeliveries = /^(?:webhook|x-roster)-/;

const messageAbout = (name: string, value: string | null): string | undefined => {
  if (!nameShape.test(name))
    return 'must be a name of 1 to 64 letters, digits, hyphens or underscores that begins with a letter';
  // CGI, WSGI and some proxies take `webhook_signature` for `webhook-signature`.
  const lower = name.toLowerCase().replaceAll('_', '-');
  if (reserved.has(lower) || ofService.test(lower) || ofDeliveries.test(lower))
    return 'is a header that Roster sets, or that applies to the connection';
  return value === null || valueShape.test(value)
    ? undefined
    : 'must be 1 to 1024 printable ASCII characters that neither begin nor end with a space';
};

/** What is wrong with all headers of a webhook together. */
export function problemOfOwnHeaders(
  headers: Readonly<Record<string, string | null>>,
): string | undefined {
  const names = Object.keys(headers);
  if (names.length > ownHeadersMax) return `must have at most ${ownHeadersMax} entries`;
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    return 'must not contain a name twice';
  const length = Object.entries(headers).flat().join('').length;
  if (length > ownHeadersLengthMax)
    return `must have at most ${ownHeadersLengthMax} characters together`;
  return undefined;
}

export const ownHeaders = <Value extends z.ZodType<string | null, string | null>>(value: Value) =>
  entriesAtMost(ownHeadersMax, z.record(z.string().max(64), value)).superRefine(
    (headers, context) => {
      const problem = problemOfOwnHeaders(headers);
      if (problem !== undefined) {
        context.addIssue({ code: 'custom', message: problem });
        return;
      }
      for (const [name, given] of Object.entries(headers)) {
        const message = messageAbout(name, given);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    },
  );
