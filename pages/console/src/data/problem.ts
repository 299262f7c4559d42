/** An error of a field of the input: its JSON pointer, such as `/email`. */
export interface FieldError {
  pointer: string;
  message: string;
}

export interface ProblemDocument {
  code?: string;
  detail?: string;
  status?: number;
  requestId?: string;
  retryAfterSeconds?: number;
  errors?: FieldError[];
  [more: string]: unknown;
}

/** Why a request was refused or not answered, in one sentence for the reader. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly errors: FieldError[];
  readonly document: ProblemDocument;

  constructor(document: ProblemDocument) {
    super(document.detail ?? 'The request failed.');
    this.document = document;
    this.code = document.code ?? 'unexpected';
    this.status = document.status ?? 0;
    this.requestId = document.requestId;
    this.retryAfterSeconds = document.retryAfterSeconds;
    this.errors = document.errors ?? [];
  }

  /** The error of a field of the input: `email`, `properties/city`. */
  of(field: string): string | undefined {
    const found = this.errors.find(
      ({ pointer }) => pointer.replace(/^\/input/, '') === `/${field}`,
    );
    return found && sentence(found.message);
  }
}

/** What the API says of a field, `must be …`, as a sentence. */
export const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

export const offline = (): Problem =>
  new Problem({
    code: 'unreachable',
    detail: 'Roster cannot be reached. Check the connection, then try again.',
  });

/** The problem of a response that is not a success. */
export async function problemOf(response: Response): Promise<Problem> {
  const retryAfterSeconds = Number(response.headers.get('retry-after')) || undefined;
  const json: unknown = await response.json().catch(() => undefined);
  const document = (typeof json === 'object' && json !== null ? json : {}) as ProblemDocument;
  return new Problem({
    detail: `Roster answered with status ${response.status}.`,
    ...document,
    status: response.status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Whether the same request can succeed a little later: the connection, a limit, or a part of the system is away. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);
