import { type FieldError, invalidFields } from '@roster/contracts';
import { readLongBody } from '../../http/body/read-long-body.js';
import { type HttpContext, leaveSlot } from '../../http/exchange.js';
import { Shares } from '../../http/shares.js';
import { checkInput } from '../../operations/check-input.js';
import type { RequestContext } from '../../operations/operation-client.js';
import type { NextSlice } from '../../operations/work-turns.js';
import { takePlace } from '../long-requests.js';
import type { RestOperation } from '../rest-operations.js';
import type { RestOptions } from '../rest-options.js';
import { buildChunks } from './store-chunks.js';
import { readCsv, type CsvOptions } from './rows/read-csv.js';
import { readNdjson } from './rows/read-ndjson.js';
import { Upload } from './upload.js';
import { openFile, uploadType } from './uploaded-file.js';

/** Maximum numbers of uploads in flight of this process, and of one workspace. */
export const uploadLimits = { process: 16, workspace: 2 } as const;
/** Limits of how long a client may send nothing, and of how slow it may be. */
const pace = { idleMs: 60_000, waitingMs: 60_000, bytesPerSecondMin: 16 * 1024 } as const;
/** A file is read in slices, one in each turn of the event loop: about a millisecond of work. */
const sliceBytes = 16 * 1024;

/** Handles a request whose body is a file. Returns its result, as JSON. */
export type ReceiveFile = (
  ctx: HttpContext,
  input: Record<string, unknown>,
  errors: readonly FieldError[],
  context: RequestContext,
) => Promise<Uint8Array>;

/**
 * Receives files of contacts in constant memory, and stores their rows. The request holds no slot meanwhile. It returns the import
 * when all rows are stored. If it does not get that far, the import fails, and no contact is changed.
 */
export function importReceiver(operation: RestOperation, options: RestOptions): ReceiveFile {
  const inFlight = new Shares(uploadLimits.process, uploadLimits.workspace);
  const { bytesMax } = operation.http.upload!;

  return async (ctx, input, errors, context) => {
    const { req, state } = ctx;
    const { workspaceId } = context.caller;
    const type = uploadType(req, bytesMax);
    const csv = checkInput(operation, input, errors) as CsvOptions;
    takePlace(inFlight, workspaceId, 'uploads');
    leaveSlot(ctx);
    const body = readLongBody(req, { bytesMax, ...pace }, state.admission.longBodies);
    try {
      const { format, bytes } = await openFile(type, body);
      if (format === 'ndjson') refuseOptions(csv);
      const slices = inSlices(bytes, options.client.turns.begin(workspaceId));
      const chunks = buildChunks(format === 'csv' ? readCsv(slices, csv) : readNdjson(slices));
      return await new Upload(ctx, operation, options).store({ ...input, format }, chunks, context);
    } finally {
      // Also of a file that was refused before its rows were read.
      await body.return(undefined);
      inFlight.give(workspaceId);
    }
  };
}

/** @throws Fault `invalid` for options of CSV */
export function refuseOptions({ map, delimiter }: CsvOptions): void {
  const wrong = Object.entries({ map, delimiter }).filter(([, value]) => value !== undefined);
  if (wrong.length === 0) return;
  const message = 'applies to CSV only: the lines of NDJSON name fields';
  throw invalidFields(wrong.map(([name]) => ({ pointer: `/${name}`, message })));
}

/** Large files are read in small steps, between which other requests are handled. */
export async function* inSlices(
  parts: AsyncIterable<Buffer>,
  nextSlice: NextSlice,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts)
    for (let start = 0; start < part.length; start += sliceBytes) {
      await nextSlice();
      yield part.subarray(start, start + sliceBytes);
    }
}
