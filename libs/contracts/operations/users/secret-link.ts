import { z } from 'zod';
import { timestamp } from '../../text.js';

/**
 * A link that is used once, as it is returned to whoever made it.
 *
 * @param path an example
 * @param expiry what its end means
 */
export const secretLink = (path: string, expiry?: string) =>
  z.object({
    secret: z.string().meta({ description: 'Returned only once; only its hash is stored.' }),
    path: z.string().meta({
      description: 'To be appended to the address of this installation and a slash.',
      examples: [path],
    }),
    expiresAt: expiry === undefined ? timestamp : timestamp.meta({ description: expiry }),
  });
