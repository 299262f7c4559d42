/** What one document may ask for. The reference states these numbers, and a test holds it to them. */
export const documentLimits = {
  tokens: 5000,
  /** Levels of fields; introspection nests deeper by its nature, and has a level of its own. */
  depth: 10,
  introspectionDepth: 20,
  /** Fields in the response, at most: those below a list count as often as it may have entries. */
  cost: 5000,
  aliases: 250,
  /** Comparisons of fields that merge into one: grows with the square of how often a field is repeated. */
  repetitions: 20_000,
} as const;

/** Operations in one HTTP request. */
export const batchMax = 10;

/** Ids in `nodes(ids:)`. */
export const nodesMax = 250;

/** Entries assumed of lists that take no argument to bound them. */
export const listSizes: Readonly<Record<string, number>> = {
  webhooks: 10,
  contactProperties: 10,
  attempts: 3,
  hours: 24,
};
