/** Components of the headers that state the rate limits. */
export const rateHeaderComponents = {
  'RateLimit-Policy': {
    description:
      'Rate limits of the key and of its workspace: requests (`q`) per seconds (`w`). Absent without limits.',
    schema: { type: 'string' },
    example: '"key";q=30000;w=1, "workspace";q=60000;w=1',
  },
  RateLimit: {
    description: 'Requests left (`r`), and seconds until there are more (`t`), for each limit.',
    schema: { type: 'string' },
    example: '"key";r=29999;t=1, "workspace";r=59990;t=1',
  },
};

/** Headers of responses to requests that were counted. */
export const rateHeaders = Object.fromEntries(
  Object.keys(rateHeaderComponents).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
