import { beginningOf, download, upload, type FileContent } from './files.js';
import { followEvents, type Followed, type FollowOptions } from './follow-events.js';
import { methods, Resources } from './operations.js';
import { answer, pages } from './page.js';
import {
  readJson,
  send,
  type Answered,
  type CallOptions,
  type Request,
  type RosterOptions,
  type Watch,
} from './request.js';
import { RosterError } from './roster-error.js';
import type { EventKind, EventListed, Import } from './types.js';

/** A client of one installation of Roster, with one API key. */
export class Roster extends Resources {
  readonly #options: RosterOptions;

  /** @throws TypeError without an API key or a URL */
  constructor(options: RosterOptions) {
    super();
    if (!options.apiKey) throw new TypeError('apiKey is missing.');
    if (!/^https?:\/\//.test(options.baseUrl)) throw new TypeError('baseUrl is not a URL of HTTP.');
    this.#options = options;
    for (const [resource, all] of Object.entries(methods))
      Object.assign(this, {
        [resource]: Object.fromEntries(
          Object.entries(all).map(([name, sent]) => [name, this.#method(sent, options)]),
        ),
      });
  }

  /**
   * Follows the event log: each event once, in the order of the log, for ever, with its position. After any failure it continues
   * with the next event; `after` does so later.
   *
   * @throws RosterError if the key or the position is refused; the reason of the signal
   */
  events(options?: FollowOptions<EventKind>): AsyncGenerator<Followed<EventListed>, void, void> {
    const { list } = new Roster({ ...this.#options, retries: 0 }).eventLog;
    return followEvents(list, options);
  }

  /** @param sent entry of the table of methods */
  #method(sent: string, options: RosterOptions): (...args: unknown[]) => unknown {
    const [, method, path, hasInput, kind, field] = /^(\w+) (\S+) ?(i?)(\W?)(\w*)$/.exec(
      sent,
    ) as unknown as [string, string, string, string, string, string];
    const isRead = method === 'GET';
    const readResult = async (response: Response, watch: Watch): Promise<unknown> => {
      const result = await readJson(response, watch, field);
      if (!field) return result;
      const { [field]: resource, notices } = result;
      return notices ? { ...(resource as object), notices } : resource;
    };
    return (...args) => {
      const file = (kind === '>' || kind === '^') && (args.shift() as FileContent);
      const id = path.includes(':') ? args.shift() : undefined;
      const input = hasInput ? (args.shift() as object | undefined) : undefined;
      const call = args[0] as CallOptions | undefined;
      const request = async <T>(
        input: object | undefined,
        read: (response: Response, watch: Watch) => Promise<T>,
        more?: Partial<Request>,
      ): Promise<Answered<T>> => {
        if (path.includes(':') && !(path.includes('::') ? isText(id) : isId(id)))
          throw new RosterError('not_found', {
            detail: `${JSON.stringify(id)} cannot be part of a path.`,
          });
        const to = path.replace(/::?/, () => segmentOf(String(id)));
        if (isRead || more)
          return send(options, { method, path: to + queryOf(input), ...more }, call, read);
        const body = input && JSON.stringify(input);
        return send(
          options,
          { method, path: to, ...(body && { type: 'application/json', body: () => body }) },
          call,
          read,
        );
      };
      if (kind === '<') return download((read, more) => request(input, read, more));
      if (kind === '*')
        return pages(input, field, (query) =>
          request(query, (response, watch) => readJson(response, watch, field)),
        );
      if (!file) return answer(request(input, readResult));
      const { format, ...query } = (input ?? {}) as { format?: keyof typeof mediaTypes };
      const type = format ? mediaTypes[format] : 'application/octet-stream';
      if (kind === '^') {
        const sent = async () => {
          const body = await beginningOf(file);
          return request(query, readResult, { type, body: () => body });
        };
        return answer(sent());
      }
      return upload(
        file,
        call ?? {},
        (more) => request(query, readResult, { type, ...more }) as Promise<Answered<Import>>,
        this.imports.get,
      );
    };
  }
}

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** An ID that leaves the path as it is, or what else names a contact: any text that can be encoded. */
const isId = (id: unknown): boolean =>
  typeof id === 'string' && /^(?:[\w-]+|(?:email|externalId):\P{Cs}+)$/u.test(id);

/** Any text that can be encoded, but for what URLs take for a folder. */
const isText = (id: unknown): boolean =>
  typeof id === 'string' && /^(?!\.{1,2}$)\P{Cs}+$/u.test(id);

const segmentOf = (id: string): string => encodeURIComponent(id).replace('%3A', ':');

/** `tag=a&tag=b` for an array, `property=city:Paris` for an object, repeated for an array in it. */
function queryOf(query: object = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value === undefined) continue;
    const values = Array.isArray(value)
      ? value
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, entry]) =>
            [entry as unknown].flat().map((one) => `${key}:${String(one)}`),
          )
        : [value];
    for (const one of values) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
