import { Fault, importLimits, type importFormats } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import { hasBody } from '../../http/body/read-body.js';
import { tooLarge } from '../../http/body/read-long-body.js';
import { FormFile } from './form-file.js';

type UploadFormat = (typeof importFormats)[number];

/** What the headers of a request say about the file in its body. */
export interface UploadType {
  /** Undefined if its first character decides. */
  format?: UploadFormat;
  /** The boundary of a form that contains the file. */
  boundary?: string;
}

/** `header=present` is a parameter of text/csv (RFC 4180). */
const declared =
  /^(?<type>text\/csv|application\/x-ndjson)[ \t]*(?:;[ \t]*(?:(?:charset[ \t]*=[ \t]*"?utf-?8"?|header[ \t]*=[ \t]*"?present"?)[ \t]*)?)*$/i;
const binary = /^application\/octet-stream[ \t]*(?:;|$)/i;
const form = /^multipart\/form-data[ \t]*(?:;|$)/i;
const boundaryIn = /;[ \t]*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))[ \t]*(?:;|$)/i;
const otherCharset = /;\s*charset\s*=\s*"?(?!utf-?8"?\s*(?:;|$))/i;

const formats: Record<string, UploadFormat> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};

/** @throws Fault `unsupported_media_type`, `payload_too_large`; `invalid` without a body */
export function uploadType(request: IncomingMessage, bytesMax: number): UploadType {
  const { headers } = request;
  const type = typeIn(headers['content-type'] ?? '');
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Fault('unsupported_media_type', 'The body must not be compressed.');
  if (!hasBody(request)) throw new Fault('invalid', 'The body is empty. Send a file.');
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return type;
}

function typeIn(contentType: string): UploadType {
  const format = formatIn(contentType);
  if (format) return { format };
  if (binary.test(contentType)) return {};
  if (!form.test(contentType))
    throw new Fault(
      'unsupported_media_type',
      'The body must be text/csv or application/x-ndjson in UTF-8, application/octet-stream or multipart/form-data.',
    );
  const [, quoted, plain] = boundaryIn.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw new Fault(
      'unsupported_media_type',
      'The Content-Type multipart/form-data has no boundary. Clients add it if they write this header themselves.',
    );
  return { boundary };
}

const formatIn = (contentType: string): UploadFormat | undefined =>
  formats[declared.exec(contentType)?.groups!['type']!.toLowerCase() ?? ''];

/** A file that has begun to arrive. */
export interface UploadedFile {
  format: UploadFormat;
  bytes: AsyncIterable<Buffer>;
}

/**
 * Opens the file in a body.
 *
 * @throws Fault `invalid`, `unsupported_media_type`; what `body` throws
 */
export async function openFile(
  { format, boundary }: UploadType,
  body: AsyncGenerator<Buffer>,
): Promise<UploadedFile> {
  if (format) return { format, bytes: body };
  if (boundary === undefined) return withFormat(body, () => undefined);
  const file = new FormFile(boundary);
  return withFormat(file.read(body), () => formatOfPart(file.type));
}

/** Clients guess the media types of files: curl does not know CSV, and where Excel is installed, browsers take CSV for its own. */
function formatOfPart(contentType: string): UploadFormat | undefined {
  const format = formatIn(contentType);
  if (!format && otherCharset.test(contentType))
    throw new Fault('unsupported_media_type', 'The file must be in UTF-8.');
  return format;
}

/** NDJSON begins with a brace, and any other file is CSV. Spaces and the bytes of a byte order mark may precede. */
const first = /[^\s\xef\xbb\xbf]/;

async function withFormat(
  parts: AsyncGenerator<Buffer>,
  formatOf: () => UploadFormat | undefined,
): Promise<UploadedFile> {
  const start: Buffer[] = [];
  let character: string | undefined;
  for (let bytes = 0; character === undefined && bytes < importLimits.rowBytes;) {
    const { value, done } = await parts.next();
    if (done) break;
    start.push(value);
    bytes += value.length;
    [character] = first.exec(value.toString('latin1')) ?? [];
  }
  const format = formatOf() ?? (character === '{' ? 'ndjson' : 'csv');
  return { format, bytes: joined(start, parts) };
}

async function* joined(
  start: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield* start;
  yield* rest;
}
