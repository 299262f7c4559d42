/** Limits of a document. The reference lists them, and a test compares both. */
export const documentLimits = {
  tokens: 5000,
  /** Levels of fields. Introspection queries nest deeper and have their own limit. */
  depth: 10,
  introspectionDepth: 20,
  /** Maximum number of fields in the response. Fields of a list are multiplied by its maximum number of entries. */
  cost: 5000,
  aliases: 250,
  /** Comparisons of fields that are merged: the square of the number of repetitions of each field. */
  repetitions: 20_000,
} as const;

/** Maximum number of operations in one HTTP request. */
export const batchMax = 10;

/** Maximum number of IDs in `nodes(ids:)`. */
export const nodesMax = 250;

/** Assumed number of entries of lists without an argument for their size. */
export const listSizes: Readonly<Record<string, number>> = {
  webhooks: 10,
  contactProperties: 10,
  attempts: 3,
  hours: 24,
};
