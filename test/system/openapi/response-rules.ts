import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { findOperation, type PathItems } from './find-operation.js';

/** The parts of an OpenAPI 3.1 document that describe responses. */
export interface OpenapiDocument {
  paths: PathItems;
  components: object;
}

/** A response, with the request that it answers. */
export interface ReceivedResponse {
  method: string;
  /** The path of the request as it was sent, without the query. */
  path: string;
  status: number;
  headers: Headers;
  /** JSON is parsed, and other media types are text. Absent if it is not read. */
  body?: unknown;
}

/** A response that the document does not allow. The message contains no values of the response: they may be secrets. */
export class ResponseMismatch extends Error {}

interface ResponseObject {
  headers?: Record<string, object>;
  content?: Record<string, object>;
}
interface HeaderObject {
  required?: boolean;
}
/** A value in the document and its JSON Pointer, after following references. */
interface Located<Value> {
  pointer: string;
  value: Value;
}

/** Compares responses with an OpenAPI document. Validators are compiled when they are first needed. */
export class ResponseRules {
  readonly #document: OpenapiDocument;
  readonly #bodies = validators();
  /** Headers are text: numbers are read from it. */
  readonly #headers = validators({ coerceTypes: true });

  constructor(document: OpenapiDocument) {
    this.#document = document;
    for (const ajv of [this.#bodies, this.#headers]) ajv.addSchema(document, 'openapi');
  }

  /** @throws ResponseMismatch with the operation, the status and every mismatch */
  check(received: ReceivedResponse): void {
    const { method, path, status } = received;
    const operation = findOperation(this.#document.paths, method, path);
    const mismatches =
      'pointer' in operation
        ? this.#compare(received, operation.pointer)
        : this.#compareRefusal(received, operation.status);
    if (mismatches.length > 0)
      throw new ResponseMismatch(`${operation.name} answered ${status}: ${mismatches.join('; ')}`);
  }

  #compare(received: ReceivedResponse, operation: string): string[] {
    const { value: responses } = this.#at<object>(`${operation}/responses`);
    if (!(received.status in responses))
      return [`expected one of the statuses ${Object.keys(responses).join(', ')}`];
    const response = this.#at<ResponseObject>(`${operation}/responses/${received.status}`);
    return [
      ...this.#headerMismatches(received, response),
      ...this.#bodyMismatches(received, response),
    ];
  }

  /** The response to a request that is no operation: a problem document. */
  #compareRefusal(received: ReceivedResponse, expectedStatus: number): string[] {
    if (received.status !== expectedStatus)
      return [`expected ${expectedStatus}, since the document has no such operation`];
    return this.#bodyMismatches(received, this.#at('/components/responses/NotFound'));
  }

  #headerMismatches(
    { headers }: ReceivedResponse,
    { pointer, value }: Located<ResponseObject>,
  ): string[] {
    return Object.keys(value.headers ?? {}).flatMap((name) => {
      const header = this.#at<HeaderObject>(`${pointer}/headers/${name}`);
      const text = headers.get(name);
      if (text === null) return header.value.required ? [`expected the header ${name}`] : [];
      return validate(this.#headers, `${header.pointer}/schema`, text, `header ${name}`);
    });
  }

  #bodyMismatches(
    received: ReceivedResponse,
    { pointer, value }: Located<ResponseObject>,
  ): string[] {
    const mediaType = received.headers.get('content-type')?.split(';')[0]!.trim().toLowerCase();
    const expected = Object.keys(value.content ?? {});
    if (expected.length === 0)
      return mediaType === undefined && !received.body ? [] : ['expected no body'];
    if (mediaType === undefined || !expected.includes(mediaType))
      return [`expected the media type ${expected.join(' or ')}, not ${mediaType ?? 'none'}`];
    if (!('body' in received)) return [];
    const schema = `${pointer}/content/${escaped(mediaType)}/schema`;
    return validate(this.#bodies, schema, received.body, 'body');
  }

  #at<Value>(pointer: string): Located<Value> {
    let value: unknown = this.#document;
    for (const part of pointer.split('/').slice(1))
      value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    const { $ref } = value as { $ref?: string };
    return $ref === undefined ? { pointer, value: value as Value } : this.#at($ref.slice(1));
  }
}

/** OpenAPI has keywords that JSON Schema lacks, and the document is no schema. */
function validators(options: { coerceTypes?: boolean } = {}): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  // Unknown to ajv-formats.
  ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+$/);
  return ajv;
}

function validate(ajv: Ajv2020, pointer: string, value: unknown, what: string): string[] {
  // Ajv keeps the compiled validator.
  const conforms = ajv.getSchema(`openapi#${pointer.split('/').map(encodeURIComponent).join('/')}`);
  if (!conforms) throw new Error(`The OpenAPI document has no schema at ${pointer}.`);
  if (conforms(value)) return [];
  return conforms.errors!.map(
    ({ instancePath, message }) => `${what}${instancePath && ` at ${instancePath}`} ${message}`,
  );
}

/** A key as a part of a JSON Pointer (RFC 6901). */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
