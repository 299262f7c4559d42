import { VerificationError, verify } from '@roster/client/verify';

export interface Verdict {
  isGenuine: boolean;
  /** What was found, and what to look at. */
  sentences: string[];
}

const minute = 60;

/** Verifies a request that was pasted, and finds what changed its body on the way. */
export async function judge(head: string, body: string, secret: string): Promise<Verdict> {
  const headers = headersOf(head);
  let first: Error | undefined;
  for (const { text, sentence } of versionsOf(body))
    try {
      // The time is judged apart: who pastes a request is later than a receiver.
      await verify(text, headers, secret, { toleranceSeconds: Infinity });
      return sentence === undefined
        ? { isGenuine: true, sentences: ['The signature is genuine.', ...ageOf(headers)] }
        : { isGenuine: false, sentences: [`The signature is not of this body. ${sentence}`] };
    } catch (error) {
      first ??= error as Error;
    }
  return { isGenuine: false, sentences: [first!.message, ...hintOf(first!)] };
}

const headersOf = (head: string): Record<string, string> =>
  Object.fromEntries(
    head.split('\n').flatMap((line) => {
      const [, name, value] = /^\s*(?:-H\s*')?([\w-]+)\s*:\s*(.*?)'?\s*\\?\s*$/.exec(line) ?? [];
      return name ? [[name.toLowerCase(), value!]] : [];
    }),
  );

/** The body, and what it may have been before someone changed it. */
function versionsOf(body: string): { text: string; sentence?: string }[] {
  const parsed = (() => {
    try {
      return JSON.stringify(JSON.parse(body));
    } catch {
      return undefined;
    }
  })();
  const found: { text: string; sentence?: string }[] = [{ text: body }];
  if (body.trim() !== body)
    found.push({
      text: body.trim(),
      sentence: 'It fits without the spaces or line breaks around the body.',
    });
  if (parsed !== undefined && parsed !== body)
    found.push({
      text: parsed,
      sentence:
        'It fits the same JSON without its spaces: verify the bytes that arrived, before anything parses or formats them.',
    });
  return found;
}

function ageOf(headers: Record<string, string>): string[] {
  const seconds = Math.round(Date.now() / 1000 - Number(headers['webhook-timestamp']));
  if (Math.abs(seconds) <= 5 * minute) return [];
  return [
    `Its time is ${seconds > 0 ? `${Math.round(seconds / minute)} minutes ago` : 'in the future'}: a receiver refuses it, because more than five minutes lie between.`,
  ];
}

const hintOf = (error: Error): string[] =>
  error instanceof VerificationError && error.reason === 'signature'
    ? ['Compare the secret with that of this webhook, and the body with the bytes that arrived.']
    : [];
