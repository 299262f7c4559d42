/** Limits of a document, and of those of a batch together. The reference lists them, and a test compares both. */
export const documentLimits = {
  /** UTF-16 code units. */
  length: 32 * 1024,
  /** Also the maximum number of lines. */
  tokens: 2000,
  /** Levels of fields. Introspection queries nest deeper and have their own limit. */
  depth: 10,
  introspectionDepth: 20,
  /** Maximum cost of the operations of a request, which hold the gateway's thread for at most 20 ms. */
  cost: 2000,
  /** Maximum cost of the result of a subscription, which is executed for every event. */
  eventCost: 100,
  /** Comparisons of fields and fragments that are merged: the squares of their numbers. */
  repetitions: 20_000,
} as const;

/** Limits of the variables of a request. The reference lists them, and a test compares both. */
export const variableLimits = {
  bytes: 64 * 1024,
  /** Objects, lists and what they contain. */
  values: 1000,
  /** Levels of objects and lists; the object of all variables is the first. */
  depth: 16,
} as const;

/** Maximum number of bytes of the body of a request: its documents and variables, and what JSON adds to them. */
export const requestBytesMax = 128 * 1024;

/** Maximum number of errors in a response. */
export const errorsMax = 10;

/** Maximum number of bytes of the results of services, and of the response, of a request. */
export const resultBytesMax = 2 * 1024 * 1024;

/** Maximum number of tokens of all parsed documents that are kept, at about 400 bytes each. */
export const documentsTokensMax = 100_000;
/** Characters of the text of a kept document that count as a token. Each takes two bytes, if one is beyond Latin-1. */
export const charactersPerToken = 200;

/** Maximum number of operations in one HTTP request. */
export const batchMax = 10;

/** Maximum number of IDs in `nodes(ids:)`. */
export const nodesMax = 250;

/** Maximum number of attempts of a delivery without `last`. A delivery can have any number, because it can be retried. */
export const attemptsMax = 50;
