/**
 * The guides, in the order of the navigation. The first one is the page `/docs`.
 *
 * - `file`: relative to the root of the repository
 * - `also`: sections that the navigation lists beside the guide
 * - `omit`: a section that is not shown
 */
export const guides = [
  { slug: '', group: 'Start', label: 'First request', file: 'pages/docs/guides/first-request.md' },
  { slug: 'scopes', group: 'Start', label: 'Keys and scopes', file: 'pages/docs/guides/scopes.md' },
  {
    slug: 'rest',
    group: 'REST',
    label: 'Requests and responses',
    file: 'gateway/README.md',
    also: { Paging: 'pages', Errors: 'errors', 'Rate limits': 'rates' },
    omit: 'operations',
  },
  {
    slug: 'retrying',
    group: 'REST',
    label: 'Idempotency and conditions',
    file: 'gateway/guides/retrying.md',
  },
  { slug: 'fields', group: 'REST', label: 'Fields of resources', file: 'gateway/fields.md' },
  { slug: 'imports', group: 'REST', label: 'Imports', file: 'gateway/guides/imports.md' },
  { slug: 'exports', group: 'REST', label: 'Exports', file: 'gateway/guides/exports.md' },
  {
    slug: 'unsubscribe',
    group: 'REST',
    label: 'One-click unsubscribe',
    file: 'gateway/guides/unsubscribe.md',
  },
  {
    slug: 'suppressions',
    group: 'REST',
    label: 'Suppressions',
    file: 'gateway/guides/suppressions.md',
  },
  { slug: 'erasure', group: 'REST', label: 'Erasing a person', file: 'gateway/guides/erasure.md' },
  {
    slug: 'receiving',
    group: 'Events',
    label: 'Receiving webhooks',
    file: 'services/dispatcher/receiving.md',
  },
  {
    slug: 'verifying',
    group: 'Events',
    label: 'Verifying signatures',
    file: 'services/dispatcher/verifying-signatures.md',
  },
  {
    slug: 'catching-up',
    group: 'Events',
    label: 'Replays and catching up',
    file: 'pages/docs/guides/catching-up.md',
  },
  {
    slug: 'graphql',
    group: 'GraphQL and web pages',
    label: 'GraphQL',
    file: 'gateway/graphql/README.md',
    also: { Subscriptions: 'subscriptions' },
  },
  {
    slug: 'browser-tokens',
    group: 'GraphQL and web pages',
    label: 'Browser tokens',
    file: 'gateway/guides/browser-tokens.md',
  },
  {
    slug: 'sessions',
    group: 'GraphQL and web pages',
    label: 'Sessions of the console',
    file: 'gateway/guides/sessions.md',
  },
  { slug: 'client', group: 'Tools', label: 'Client library', file: 'libs/client/README.md' },
  { slug: 'cli', group: 'Tools', label: 'Command line', file: 'libs/cli/README.md' },
  { slug: 'listen', group: 'Tools', label: 'Webhooks on your machine', file: 'libs/cli/listen.md' },
  { slug: 'moving', group: 'Operate', label: 'Moving to Roster', file: 'gateway/moving.md' },
  { slug: 'running', group: 'Operate', label: 'Running gateways', file: 'gateway/running.md' },
];
