import { z } from 'zod';
import { eventStreamConfig, processConfig } from '@roster/process';
import { databaseConfig } from '@roster/storage';

export const contactsConfig = processConfig
  .extend(databaseConfig.shape)
  .extend(eventStreamConfig.shape)
  .extend({
    PUBLIC_URL: z
      .string()
      .transform((text) => text.replace(/\/+$/, ''))
      .refine(isPublicUrl, { error: 'must be a URL such as https://contacts.example.com' })
      .optional()
      .describe(
        'Address of the gateways for recipients of emails, such as `https://contacts.example.com`: the start of `unsubscribeUrl`, which is null without it. `npm start` sets it to its own address',
      ),
  });

/** With a path if a proxy removes it. */
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !/[?#@\s"\\]/.test(text);
}
