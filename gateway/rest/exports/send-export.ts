import { steadyNow } from '@roster/bus';
import { ClientPace } from '../../http/body/read-long-body.js';
import { ClientGone, type HttpContext, leaveSlot } from '../../http/exchange.js';
import { writePart } from '../../http/response/send.js';
import type { ExportOutcome } from '../../http/observation.js';
import { Shares } from '../../http/shares.js';
import { laterContext, requireEnd, takePlace } from '../long-requests.js';
import type { ExportLimits, RestOptions, SendFile } from '../rest-options.js';
import { csvHeader, csvRows, type ExportedContact } from './csv.js';
import { exportPages } from './export-pages.js';

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
export function exportSender(options: RestOptions): SendFile {
  const { limits } = options.exports;
  const inFlight = new Shares(limits.process, limits.workspace);

  return async (ctx, { workspaceId }, input, result) => {
    const { state, req, res } = ctx;
    requireEnd(req);
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
    takePlace(inFlight, workspaceId, 'exports');
    leaveSlot(ctx);
    const stopped = new AbortController();
    res.once('close', () => {
      stopped.abort();
      inFlight.give(workspaceId);
    });
    const pages = exportPages({
      client: options.client,
      filter,
      context: async () => ({
        ...(await laterContext(ctx, options)),
        isAbandoned: () => stopped.signal.aborted,
      }),
      nextSlice: options.client.turns.begin(workspaceId),
      signal: stopped.signal,
    });
    const first = await pages.next();
    if (res.closed) throw new ClientGone();
    begin();
    const breakOff = endingOf(ctx, options);
    // Not awaited: an export can take minutes.
    void write(ctx, format, first, pages, limits).catch(breakOff);
  };
}

/**
 * Reports how an export ends that has begun, and ends it after the maximum duration.
 *
 * @returns a function to call with the error that ends it
 */
function endingOf({ state, req, res }: HttpContext, { exports, log }: RestOptions) {
  const { requestId, startedAt, caller } = state;
  const { workspaceId } = caller!;
  let outcome: ExportOutcome = 'abandoned';
  const breakOff = (error: unknown) => {
    // A write that fails reports the error of the socket before the response is closed.
    if (res.destroyed || req.socket.destroyed) return;
    outcome = error instanceof ExportTooLong ? 'limited' : 'failed';
    log.warn({ err: error, requestId, workspaceId }, 'broke off an export');
    req.socket.resetAndDestroy();
  };
  const tooLong = () => breakOff(new ExportTooLong('the maximum duration has passed'));
  const timer = setTimeout(tooLong, exports.limits.durationMs).unref();
  res.once('close', () => {
    clearTimeout(timer);
    if (res.writableFinished) outcome = 'completed';
    exports.onEnded(outcome);
    const ms = Math.round(performance.now() - startedAt);
    log.info({ requestId, workspaceId, outcome, ms }, 'export ended');
  });
  return breakOff;
}

async function write(
  { state, res }: HttpContext,
  { header, lineOf }: Format,
  first: IteratorResult<ExportedContact[]>,
  pages: AsyncIterable<ExportedContact[]>,
  limits: ExportLimits,
): Promise<void> {
  const { workspaceId } = state.caller!;
  const pace = new ClientPace(limits);
  const part = async (contacts: ExportedContact[], before = '') => {
    const text = before + contacts.map(lineOf).join('');
    if (text === '') return;
    const from = steadyNow();
    await writePart(res, text, state.unread, workspaceId);
    if (pace.isTooSlow(Buffer.byteLength(text), steadyNow() - from))
      throw new ExportTooLong('the client reads too slowly');
  };
  await part(first.done ? [] : first.value, header);
  for await (const contacts of pages) await part(contacts);
  // The end must be read in time, too.
  res.end(state.unread.add(res, workspaceId, 0));
}

/** An export is broken off, because it has taken too long. */
export class ExportTooLong extends Error {}
