import type { FieldError } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import type { HttpContext } from '../http/exchange.js';
import { emptyBody, readJsonBytes } from '../http/read-json-bytes.js';
import { checkInput } from './check-input.js';
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
  const mayHaveBody = operation.http.method !== 'GET';

  return async (ctx: HttpContext): Promise<unknown> => {
    const errors: FieldError[] = [];
    const input: Record<string, unknown> = mayHaveBody
      ? await readJsonBody(ctx.req, bodyBytesMax, fields.bodyRequired, errors)
      : {};
    // A field of the path is no field of the body.
    for (const name of fields.path) {
      if (Object.hasOwn(input, name))
        errors.push({ pointer: `/${name}`, message: 'is not a field of this request' });
      input[name] = ctx.params?.[name];
    }
    readQuery(ctx.req.url!, input, errors);
    return checkInput(schema, fields.path, input, errors);
  };
}

async function readJsonBody(
  request: IncomingMessage,
  bytesMax: number,
  required: boolean,
  errors: FieldError[],
): Promise<Record<string, unknown>> {
  const body = await readJsonBytes(request, bytesMax);
  if (body.length > 0) return parseJsonObject(body, errors);
  if (required) throw emptyBody();
  return {};
}
