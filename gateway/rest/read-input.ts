import { emailKey, Fault, pointerTo, type FieldError } from '@roster/contracts';
import { jsonLimits, type JsonLimits } from '../http/body/check-json-size.js';
import { emptyBody, parseJson, readJsonBytes } from '../http/body/read-json.js';
import type { HttpContext } from '../http/exchange.js';
import { inspectNames } from '../operations/check-input.js';
import { queryReader } from './read-query.js';
import { fieldsOf, type RestOperation } from './rest-operations.js';

/**
 * Combines path, query and body of a request into the input of an operation, without validating it. Errors of the request that
 * the input would not show are added to `errors`.
 */
export function inputReader(operation: RestOperation) {
  const fields = fieldsOf(operation);
  const readQuery = queryReader(operation.input, fields.query);
  const limits = operation.bulk ? jsonLimits.bulk : jsonLimits.ordinary;
  const mayHaveBody = operation.http.method !== 'GET' && !operation.http.upload;

  return async (ctx: HttpContext, errors: FieldError[]): Promise<Record<string, unknown>> => {
    const input: Record<string, unknown> = mayHaveBody
      ? await readJsonBody(ctx, limits, fields.bodyRequired, errors)
      : {};
    // The body must not contain fields of the path.
    for (const name of fields.path) {
      if (Object.hasOwn(input, name))
        errors.push({ pointer: `/${name}`, message: 'is not a known field' });
      input[name] = ctx.params?.[name];
    }
    const repeated = mayHaveBody ? fields.query.map((name) => [name, input[name]] as const) : [];
    readQuery(ctx.req.url!, input, errors);
    for (const [name, value] of repeated)
      if (value !== undefined && !isSame(name, value, input[name]))
        errors.push({
          pointer: pointerTo([name]),
          message: 'must be the value of the query parameter',
        });
    return input;
  };
}

const isSame = (name: string, inBody: unknown, inQuery: unknown): boolean =>
  inBody === inQuery ||
  (name === 'email' &&
    typeof inBody === 'string' &&
    typeof inQuery === 'string' &&
    emailKey(inBody) === emailKey(inQuery));

/** @throws Fault `invalid_json`, `payload_too_large` */
async function readJsonBody(
  ctx: HttpContext,
  { bytesMax, valuesMax }: JsonLimits,
  required: boolean,
  errors: FieldError[],
): Promise<Record<string, unknown>> {
  const body = await readJsonBytes(ctx, bytesMax);
  if (body.length === 0) {
    if (required) throw emptyBody();
    return {};
  }
  const value = parseJson(body, valuesMax);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('invalid_json', 'The body must be a JSON object.');
  }
  inspectNames(value, errors);
  return value as Record<string, unknown>;
}
