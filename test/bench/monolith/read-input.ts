import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { z } from 'zod';
import { Problem } from './problem.js';

const bodyBytesMax = 1024 * 1024;

/** The input of an operation from a request, validated with the schema of its contract. */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    message,
  }));
  throw new Problem('invalid', 'One or more fields are invalid.', { errors });
}

export async function readJson({ req }: Context): Promise<object> {
  if (!/^application\/json\b/i.test(req.headers['content-type'] ?? ''))
    throw new Problem('unsupported_media_type', 'The body must be application/json.');
  const text = (await readBody(req)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Problem('invalid_json', 'The body must be a JSON object.');
}

function readBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) reject(new Problem('payload_too_large', 'The body is too large.'));
      else chunks.push(chunk);
    });
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    req.on('error', reject);
  });
}
