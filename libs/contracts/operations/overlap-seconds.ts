import { z } from 'zod';

const daySeconds = 86_400;

/**
 * Input of the rotation of a secret.
 *
 * @param description what the previous secret is used for during that time
 */
export const overlapSeconds = (description: string) =>
  z
    .int()
    .min(0)
    .max(7 * daySeconds)
    .default(daySeconds)
    .meta({ description });
