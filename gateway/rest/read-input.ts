import { Fault, type FieldError } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import type { HttpContext } from '../http/exchange.js';
import { hasBody, readBody } from '../http/read-body.js';
import { fieldErrors } from './field-errors.js';
import { parseJsonObject } from './parse-json-object.js';
import { queryReader } from './read-query.js';
import { fieldsOf, type RestOperation } from './rest-operations.js';

/**
 * Reads an operation's input from a request: path, query and body are put together and checked by the contract's schema.
 * Resolves with undefined when all is right but the id in the path, which no resource can have.
 */
export function inputReader(operation: RestOperation, bodyBytesMax: number) {
  const schema = operation.input;
  const fields = fieldsOf(operation);
  const readQuery = queryReader(schema, fields.query);
  const takesBody = fields.body.length > 0;
  const mayHaveBody = operation.http.method !== 'GET';

  return async (ctx: HttpContext): Promise<unknown> => {
    const errors: FieldError[] = [];
    const input: Record<string, unknown> = mayHaveBody
      ? await readJsonBody(ctx.req, bodyBytesMax, takesBody, errors)
      : {};
    // A field of the path is no field of the body.
    for (const name of fields.path) {
      if (Object.hasOwn(input, name))
        errors.push({ pointer: `/${name}`, message: 'is not a field of this request' });
      input[name] = ctx.params?.[name];
    }
    readQuery(ctx.req.url!, input, errors);
    const parsed = schema.safeParse(input);
    if (parsed.success && errors.length === 0) return parsed.data;
    if (!parsed.success) {
      const wrong = parsed.error.issues.filter(
        (issue) => !fields.path.includes(issue.path[0] as string),
      );
      if (wrong.length === 0 && errors.length === 0) return undefined;
      errors.push(...fieldErrors(wrong));
    }
    throw new Fault('invalid', 'Some fields are not right.', {
      errors: errors.slice(0, errorsMax),
    });
  };
}

/** A body of nothing but wrong fields should not be answered by a larger one. */
const errorsMax = 1000;

const json = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

async function readJsonBody(
  request: IncomingMessage,
  bytesMax: number,
  required: boolean,
  errors: FieldError[],
): Promise<Record<string, unknown>> {
  const { headers } = request;
  if (hasBody(request)) {
    if (!json.test(headers['content-type'] ?? '')) {
      throw new Fault('unsupported_media_type', 'The body must be application/json in UTF-8.');
    }
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new Fault('unsupported_media_type', 'The body must not be compressed.');
    }
    const body = await readBody(request, bytesMax);
    if (body.length > 0) return parseJsonObject(body, errors);
  }
  if (required) throw new Fault('invalid_json', 'The body is empty. Send a JSON object.');
  return {};
}
