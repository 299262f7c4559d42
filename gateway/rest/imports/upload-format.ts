import { Fault, type importFormats } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import { hasBody } from '../../http/body/read-body.js';
import { tooLarge } from '../../http/body/read-long-body.js';

export type UploadFormat = (typeof importFormats)[number];

/** `header=present` is a parameter of text/csv (RFC 4180). */
const declared =
  /^(?<type>text\/csv|application\/x-ndjson)[ \t]*(?:;[ \t]*(?:(?:charset[ \t]*=[ \t]*"?utf-8"?|header[ \t]*=[ \t]*"?present"?)[ \t]*)?)*$/i;

const formats: Record<string, UploadFormat> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};

/**
 * The format of an uploaded file, by its headers.
 *
 * @throws Fault `unsupported_media_type`, `payload_too_large`; `invalid` without a body
 */
export function uploadFormat(request: IncomingMessage, bytesMax: number): UploadFormat {
  const { headers } = request;
  const type = declared.exec(headers['content-type'] ?? '')?.groups!['type'];
  if (type === undefined)
    throw new Fault(
      'unsupported_media_type',
      'The body must be text/csv or application/x-ndjson in UTF-8.',
    );
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Fault('unsupported_media_type', 'The body must not be compressed.');
  if (!hasBody(request)) throw new Fault('invalid', 'The body is empty. Send a file.');
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return formats[type.toLowerCase()]!;
}
