import { z } from 'zod';
import { type RefusalCode, refusalStatus } from '../http/refusal.js';
import { problemTypes } from '../rest/problems/problem-types.js';
import type { Problem } from '../rest/problems/problem.js';

const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().min(1),
  code: z.enum(Object.keys(problemTypes) as [RefusalCode]),
  requestId: z.string().min(1),
  errors: z
    .array(
      z.strictObject({
        pointer: z.string().regex(/^(?:\/(?:[^~/]|~[01])*)*$/),
        message: z.string().min(1),
      }),
    )
    .min(1)
    .optional(),
  entityTag: z.string().optional(),
  existingId: z.string().optional(),
  retryAfterSeconds: z.int().min(0).optional(),
});

/** Parses the problem document of a response, and checks that body, status and headers are consistent. */
export async function problemIn(response: Response): Promise<Problem> {
  const text = await response.text();
  const body = problem.parse(JSON.parse(text)) as Problem;
  const expected = {
    type: `/problems/${body.code}`,
    title: problemTypes[body.code].title,
    status: refusalStatus[body.code],
  };
  for (const [member, value] of Object.entries(expected)) {
    if (body[member as keyof Problem] !== value) throw new Error(`${member} is wrong in ${text}`);
  }
  const { headers, status } = response;
  if (status !== body.status) throw new Error(`status ${status} with ${text}`);
  if (headers.get('content-type') !== 'application/problem+json; charset=utf-8')
    throw new Error('wrong media type');
  if (headers.get('x-request-id') !== body.requestId)
    throw new Error('different request ID in the header');
  if (headers.get('cache-control') !== 'no-store') throw new Error('cacheable');
  if (
    body.code === 'unauthenticated' &&
    !headers.get('www-authenticate')?.startsWith('Bearer realm="')
  ) {
    throw new Error('WWW-Authenticate is missing');
  }
  if (body.code === 'method_not_allowed' && !headers.get('allow'))
    throw new Error('Allow is missing');
  if (
    body.retryAfterSeconds !== undefined &&
    headers.get('retry-after') !== String(body.retryAfterSeconds)
  ) {
    throw new Error('Retry-After is missing');
  }
  return body;
}
