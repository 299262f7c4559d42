import { z } from 'zod';

/** Maximum number of origins of a workspace. */
export const originsMax = 50;
/** Of `https://`, the longest host name and a port. */
const originLengthMax = 267;

/** Whether a text is an origin as browsers send it (RFC 6454, 6.2): scheme, host, and port unless it is the default one. */
export function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return false;
  const parsed = URL.parse(text);
  return parsed?.origin === text && isHost(parsed);
}

const loopback = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Whether a workspace can list an origin: one with `https`, or of the machine of the browser. */
export const isListableOrigin = (text: string): boolean =>
  text.length <= originLengthMax &&
  isOrigin(text) &&
  (text.startsWith('https:') || loopback.test(text));

export const listableOrigin = z
  .string()
  .refine(isListableOrigin, {
    error:
      'must be an origin such as https://app.example.com, without a path or a final slash; http is allowed for loopback only',
  })
  .meta({ maxLength: originLengthMax, examples: ['https://app.example.com'] });

const lengthMax = 253;
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * Whether a host of a parsed URL can exist: an IP address, or a name as RFC 1123 (2.1) defines it, with a final dot or without. URL
 * parsers also accept empty labels, other characters and labels of any length. Underscores are allowed, because names with them are
 * in use and are resolved.
 */
export function isHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  if (hostname.startsWith('[')) return true;
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name.length <= lengthMax && name.split('.').every((part) => label.test(part));
}
