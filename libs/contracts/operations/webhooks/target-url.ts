import { isHost } from '../../host-name.js';
import { text } from '../../text.js';

/** Where a webhook is delivered to. Which addresses and ports are allowed is a setting of the webhooks service. */
export const targetUrl = text(1, 2048)
  .refine(isTargetUrl, {
    error: 'must be an http or https URL without credentials or fragment',
    abort: true,
  })
  .refine((value) => isHost(new URL(value)), {
    error:
      'must have an IP address as its host, or a name of at most 253 characters, whose labels are 1 to 63 letters, digits, hyphens or underscores and neither begin nor end with a hyphen',
  })
  .overwrite(withoutSpaces)
  .meta({
    description:
      'Address as browsers read it (URL Standard): `http` or `https`, without credentials and fragment.',
    examples: ['https://example.com/hooks/roster'],
  });

/** What URL parsers ignore is not stored: surrounding spaces and control characters, tabs and line breaks anywhere. */
function withoutSpaces(value: string): string {
  return value.replaceAll(/^[\0- ]+|[\0- ]+$|[\t\n\r]+/g, '');
}

function isTargetUrl(value: string): boolean {
  const parsed = URL.parse(value);
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return false;
  return (
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.hostname !== '' &&
    !value.includes('#')
  );
}
