const repeat = (text: string, count: number) => text.repeat(count);
export const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join(' ');

/** Documents that are costly to parse, validate or execute, with the expected code and their variables. */
export const hostileDocuments: Record<
  string,
  [document: string, code: string, variables?: Record<string, unknown>]
> = {
  'a deep one': [`{ ${repeat('node { ', 11)} id ${repeat('} ', 11)} }`, 'query_too_deep'],
  'a deep one just below the limit of tokens': [
    `${repeat('{ a', 600)} ${repeat('}', 600)}`,
    'query_too_deep',
  ],
  'a deep list value': [`{ node(id: ${repeat('[', 1900)}`, 'query_too_deep'],
  'a wide one': [`{ ${repeat('__typename ', 1990)} }`, 'query_too_repetitive'],
  'a wide one with selections': [`{ ${repeat('me { id } ', 490)} }`, 'query_too_repetitive'],
  'one of 10,000 tokens': [`{ ${repeat('a ', 10_000)} }`, 'query_too_long'],
  'fragments in a circle': [
    '{ ...A } fragment A on Query { ...B me { id } } fragment B on Query { ...A }',
    'GRAPHQL_VALIDATION_FAILED',
  ],
  'a circle through fields': [
    '{ node(id: "x") { ...A } } fragment A on Node { id node(id: "x") { ...A } }',
    'query_too_deep',
  ],
  'fragments that double at each level': [
    `{ ...F0 } ${many(40, (n) => `fragment F${n} on Query { a: me { ...F${n + 1} } b: me { ...F${n + 1} } }`)} fragment F40 on Query { __typename }`,
    'query_too_deep',
  ],
  'fragments that merge into each other': [
    `{ ${many(70, (n) => `...F${n}`)} } ${many(70, (n) => `fragment F${n} on Query { ${repeat('me{id} ', 5)} }`)}`,
    'query_too_repetitive',
  ],
  'many fragments on one object': [
    `{ ${many(140, (n) => `...F${n}`)} } ${many(140, (n) => `fragment F${n} on Query { a${n}: me { id } }`)}`,
    'query_too_repetitive',
  ],
  'a huge page in a variable': [
    'query ($n: Int!) { contacts(first: $n) { nodes { id } } }',
    'query_too_costly',
    { n: 1_000_000_000 },
  ],
  'a huge page by default': [
    'query ($n: Int = 999999) { contacts(first: $n) { nodes { id } } }',
    'query_too_costly',
  ],
  'a huge list of ids': [
    'query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } b: nodes(ids: $ids) { id } c: nodes(ids: $ids) { id } }',
    'query_too_costly',
    { ids: Array(900).fill('cont_1') },
  ],
  'pages in many aliases': [
    `{ ${many(130, (n) => `c${n}: contacts(first: 100) { nodes { id name } }`)} }`,
    'query_too_costly',
  ],
  'all attempts of all webhooks': [
    '{ webhooks { deliveries(first: 100) { nodes { attempts { number statusCode } } } } }',
    'query_too_costly',
  ],
  'all webhooks in many aliases': [
    `{ ${many(18, (n) => `w${n}: webhooks { id }`)} }`,
    'query_too_costly',
  ],
  'a call for each of many entries': [
    `{ ${many(12, (n) => `d${n}: webhook(id: "wh_1") { deliveries(first: 100) { nodes { payload attempts { number } } } }`)} }`,
    'query_too_costly',
  ],
  'a list of tags in many aliases': [
    `{ contacts(first: 100) { nodes { ${many(48, (n) => `t${n}: tags`)} } } }`,
    'query_too_costly',
  ],
  'lists hidden in fragments of other types': [
    `{ nodes(ids: [${many(100, () => '"wh_1"')}]) { ...A } } fragment A on Node { ... on Delivery { id } ... on Webhook { stats { hours { hour } } } }`,
    'query_too_costly',
  ],
  'introspection in many aliases': [
    `{ ${many(20, (n) => `s${n}: __schema { types { fields { type { fields { name } } } } }`)} }`,
    'query_too_costly',
  ],
  'introspection in a circle': [
    `{ __schema { types { ${repeat('fields { type { ', 9)} name ${repeat('} } ', 9)} } } }`,
    'query_too_deep',
  ],
};

/** May exceed the stack of the parser before its token limit, depending on JIT compilation. */
export const veryDeepDocument = repeat('{ a', 4000);
