import type { Operations, OutputOf } from '@roster/contracts';
import { leaveSlot } from '../../http/exchange.js';
import { writePart } from '../../http/response/send.js';
import { csvCell } from '../exports/csv.js';
import { laterContext, repeatCall, requireEnd } from '../long-requests.js';
import type { RestOptions, SendFile } from '../rest-options.js';

type Page = OutputOf<Operations['imports.list-errors']>;

const header = 'row,pointer,code,message\r\n';

/**
 * Sends the rows of an import that were refused as a CSV file, page by page as the client reads it. If it cannot be completed, the
 * connection is reset.
 */
export function rowErrorsSender(options: RestOptions): SendFile {
  return async (ctx, { workspaceId }, input, result) => {
    const { state, req, res } = ctx;
    requireEnd(req);
    leaveSlot(ctx);
    state.status = 200;
    state.headers['Content-Type'] = 'text/csv; charset=utf-8';
    state.headers['Content-Disposition'] = 'attachment; filename="errors.csv"';
    res.writeHead(200, state.headers);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const nextSlice = options.client.turns.begin(workspaceId);
    const pageAfter = (after: number): Promise<Page> =>
      repeatCall(async () => {
        const context = await laterContext(ctx, options);
        const further = { ...input, after };
        return options.client.call('imports.list-errors', further, context, nextSlice);
      });
    try {
      const parts = partsOf(JSON.parse(Buffer.from(result).toString()) as Page, pageAfter);
      for await (const part of parts) await writePart(res, part, state.unread, workspaceId);
      // The end must be read in time, too.
      res.end(state.unread.add(res, workspaceId, 0));
    } catch (error) {
      if (res.destroyed) return;
      options.log.warn({ err: error, requestId: state.requestId }, 'broke off a file of errors');
      req.socket.resetAndDestroy();
    }
  };
}

async function* partsOf(
  first: Page,
  pageAfter: (after: number) => Promise<Page>,
): AsyncGenerator<string> {
  yield header + linesOf(first);
  for (let { next } = first; next !== null;) {
    const page = await pageAfter(next);
    yield linesOf(page);
    ({ next } = page);
  }
}

const linesOf = ({ errors }: Page): string =>
  errors
    .map(({ row, pointer, code, message }) =>
      [row, csvCell(pointer), code, csvCell(message)].join(',').concat('\r\n'),
    )
    .join('');
