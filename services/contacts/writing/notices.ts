import { Json } from '@roster/bus';
import type { Notice } from '@roster/contracts';

/** What follows the contact in a result. */
export const noticesJson = (notices: readonly Notice[]): string =>
  notices.length === 0 ? '' : `${start}${JSON.stringify(notices)}`;

const start = ',"notices":';

/** The notices of the result of a write, or undefined. No field of a contact has this text: its texts are quoted. */
export function noticesOf(answer: object): Notice[] | undefined {
  const text = Json.textOf(answer);
  const at = text.lastIndexOf(`${start}[`);
  return at === -1 ? undefined : (JSON.parse(text.slice(at + start.length, -1)) as Notice[]);
}
