import { z } from 'zod';

/** Maximum number of contacts, deliveries or API keys on a page. */
export const pageMax = 100;

/** Input of a list that is read in one direction. */
export const afterInput = z
  .string()
  .max(64)
  .optional()
  .meta({ description: 'Cursor: `pagination.next` of the previous page.' });

/** Output of a list that is read in one direction. */
export const forwardPagination = z.object({
  limit: z.int().meta({ description: 'Limit that was applied.' }),
  next: z
    .string()
    .nullable()
    .meta({ description: 'Cursor of the next page; null on the last page.' }),
});
