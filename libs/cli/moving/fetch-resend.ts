import { setTimeout } from 'node:timers/promises';
import type { ResendContact } from './sources.js';

const attemptsMax = 8;

/**
 * All contacts of a Resend account, or of a segment. Resend has no file to download.
 *
 * @throws Error with the status and the text of a response that is not 200
 */
export async function fetchResend({
  apiKey,
  baseUrl = 'https://api.resend.com',
  segment,
  signal,
}: {
  apiKey: string;
  baseUrl?: string | undefined;
  segment?: string | undefined;
  signal: AbortSignal;
}): Promise<ResendContact[]> {
  const contacts: ResendContact[] = [];
  let after: string | undefined;
  for (let attempt = 1; ;) {
    const url = new URL('/contacts', baseUrl);
    url.searchParams.set('limit', '100');
    if (segment !== undefined) url.searchParams.set('segment_id', segment);
    if (after !== undefined) url.searchParams.set('after', after);
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(url, { headers, signal, redirect: 'error' });
    if (response.status === 429 && attempt < attemptsMax) {
      await response.body?.cancel();
      attempt += 1;
      await setTimeout(1000 * Number(response.headers.get('retry-after') ?? 1), null, { signal });
      continue;
    }
    if (!response.ok)
      throw new Error(
        `Resend answered ${response.status}: ${(await response.text()).slice(0, 300)}`,
      );
    const page = (await response.json()) as { data: ResendContact[]; has_more: boolean };
    contacts.push(...page.data);
    after = page.data.at(-1)?.id;
    attempt = 1;
    if (!page.has_more || after === undefined) return contacts;
  }
}
