import { steadyNow } from '@roster/bus';
import { Fault, type Caller } from '@roster/contracts';
import { clientAddress } from '../../http/connections/client-address.js';
import { authenticate } from '../../http/exchange/authenticate.js';
import { ClientGone } from '../../http/exchange/client-gone.js';
import type { HttpContext } from '../../http/exchange/exchange.js';
import { leaveSlot } from '../../http/exchange/slot.js';
import { writePart } from '../../http/exchange/write-part.js';
import { Shares } from '../../http/shares.js';
import type { RequestContext } from '../../operations/operation-client.js';
import type { RestOptions } from '../rest-options.js';
import { csvHeader, csvRows, type ExportedContact } from './csv.js';
import { exportPages } from './export-pages.js';

/** Maximum numbers of exports in flight of this process, and of one workspace. */
export const exportLimits = { process: 16, workspace: 2 } as const;

type SendExport = (
  ctx: HttpContext,
  caller: Caller,
  input: Record<string, unknown>,
  result: Uint8Array,
) => Promise<void>;

/** How contacts are written. */
interface Format {
  mediaType: string;
  header: string;
  lineOf(contact: ExportedContact): string;
}

const formats: Record<string, (properties: string[]) => Format> = {
  csv: (properties) => ({
    mediaType: 'text/csv; charset=utf-8',
    header: csvHeader(properties),
    lineOf: csvRows(properties),
  }),
  ndjson: () => ({
    mediaType: 'application/x-ndjson',
    header: '',
    lineOf: (contact) => `${JSON.stringify(contact)}\n`,
  }),
};

/**
 * Sends files of all contacts that match a filter, in constant memory. The request holds no slot while the file is sent. If it cannot
 * be completed, the connection is reset, so that a client cannot take a part for the whole.
 */
export function exportSender(options: RestOptions): SendExport {
  const inFlight = new Shares(exportLimits.process, exportLimits.workspace);

  return async (ctx, { workspaceId }, input, result) => {
    const { state, req, res } = ctx;
    const { format: extension = 'csv', ...filter } = input as { format?: string };
    const { properties } = JSON.parse(Buffer.from(result).toString()) as { properties: string[] };
    const format = formats[extension]!(properties);
    const begin = () => {
      state.status = 200;
      state.headers['Content-Type'] = format.mediaType;
      state.headers['Content-Disposition'] = `attachment; filename="contacts.${extension}"`;
      res.writeHead(200, state.headers);
    };
    if (req.method === 'HEAD') {
      begin();
      res.end();
      return;
    }
    if (res.closed) throw new ClientGone();
    take(inFlight, workspaceId);
    leaveSlot(ctx);
    const stopped = new AbortController();
    res.once('close', () => {
      stopped.abort();
      inFlight.give(workspaceId);
    });
    const pages = exportPages({
      client: options.client,
      filter,
      context: () => contextOf(ctx, options, stopped.signal),
      nextSlice: options.client.turns.begin(workspaceId),
      signal: stopped.signal,
    });
    const first = await pages.next();
    begin();
    // Not awaited: an export can take minutes.
    void write(ctx, format, first, pages).catch((error: unknown) => {
      if (res.destroyed) return;
      const { requestId } = state;
      options.log.warn({ err: error, requestId, workspaceId }, 'broke off an export');
      req.socket.resetAndDestroy();
    });
  };
}

async function write(
  { state, res }: HttpContext,
  { header, lineOf }: Format,
  first: IteratorResult<ExportedContact[]>,
  pages: AsyncIterable<ExportedContact[]>,
): Promise<void> {
  const { workspaceId } = state.caller!;
  const part = async (contacts: ExportedContact[], before = '') => {
    const text = before + contacts.map(lineOf).join('');
    if (text !== '') await writePart(res, text, state.unread, workspaceId);
  };
  await part(first.done ? [] : first.value, header);
  for await (const contacts of pages) await part(contacts);
  // The end must be read in time, too.
  res.end(state.unread.add(res, workspaceId, 0));
}

/** @throws Fault `unavailable` or `rate_limited` if too many exports are in flight */
function take(inFlight: Shares, workspaceId: string): void {
  if (inFlight.tryTake(workspaceId)) return;
  const retry = { retryAfterSeconds: 5 };
  throw inFlight.isFull
    ? new Fault('unavailable', 'Too many exports are in flight. Try again later.', retry)
    : new Fault(
        'rate_limited',
        `A workspace can have at most ${exportLimits.workspace} exports in flight.`,
        retry,
      );
}

/** Of a call for a page: the key is verified again if that was not done lately, and a revoked key ends the export. */
async function contextOf(
  { state, req }: HttpContext,
  { keys, proxies, timeoutMs }: RestOptions,
  signal: AbortSignal,
): Promise<RequestContext> {
  const { requestId, traceparent } = state;
  const origin = { requestId, traceparent, address: clientAddress(proxies, req) };
  return {
    caller: await authenticate(keys, req.headers.authorization, origin),
    requestId,
    traceparent,
    deadline: steadyNow() + timeoutMs,
    isAbandoned: () => signal.aborted,
  };
}
