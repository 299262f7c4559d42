import { exportSender } from './exports/send-export.js';
import { rowErrorsSender } from './imports/send-row-errors.js';
import type { RestOperation } from './rest-operations.js';
import type { RestOptions } from './rest-options.js';
import type { SendFile } from './send-file.js';

const senders: Record<string, (options: RestOptions) => SendFile> = {
  'contacts.export': exportSender,
  'imports.list-errors': rowErrorsSender,
};

/** Sends the file that an operation answers, if it answers one. */
export const fileSender = (
  { name, http }: RestOperation,
  options: RestOptions,
): SendFile | undefined => (http.file ? senders[name]!(options) : undefined);
