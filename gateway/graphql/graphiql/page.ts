/** Initial content of the header editor. */
const headers = '{\n  "Authorization": "Bearer rsk_…"\n}';

/** Operations in the initial tabs. */
const examples: { query: string; variables?: string }[] = [
  {
    query: `# Put your API key into "Headers" below, then reload the schema (the button in the lower left corner).
query FirstContacts {
  contacts(first: 10) {
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { id email name tags properties status createdAt }
  }
}
`,
  },
  {
    query: `mutation CreateContact($input: CreateContactInput!) {
  createContact(input: $input) {
    contact { id email }
  }
}
`,
    variables: '{\n  "input": { "email": "ada@example.com", "name": "Ada", "tags": ["vip"] }\n}',
  },
  {
    query: `subscription ContactEvents {
  events(kinds: [CONTACT_CREATED, CONTACT_UPDATED]) {
    id
    kind
    createdAt
    ... on ContactEvent { contact { id email name } }
  }
}
`,
  },
  {
    query: `# The status of each webhook, and its dead deliveries.
query WebhookHealth {
  webhooks(first: 10) {
    id url status disabledReason lastSuccessAt lastFailureAt
    deliveries(first: 5, status: DEAD) {
      pageInfo { hasNextPage endCursor }
      nodes { id kind reason createdAt attempts { startedAt statusCode error } }
    }
  }
}
`,
  },
  {
    query: `mutation RetryDelivery($input: RetryDeliveryInput!) {
  retryDelivery(input: $input) {
    delivery { id status nextAttemptAt }
  }
}
`,
    variables: '{\n  "input": { "id": "dlv_…" }\n}',
  },
];

/** Asset paths are relative, so that the gateway can be mounted below any path. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Roster GraphQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphql/assets/graphiql.css">
<style>body { margin: 0 } #graphiql { height: 100vh }</style>
<body>
<div id="graphiql"></div>
<script src="graphql/assets/react.js"></script>
<script src="graphql/assets/react-dom.js"></script>
<script src="graphql/assets/graphql-sse.js"></script>
<script src="graphql/assets/graphiql.js"></script>
<script src="graphql/assets/start.js"></script>
</body>
</html>
`;

/** Runs in the browser. Subscriptions use SSE; queries and mutations use POST. */
export const startScript = `
const url = location.pathname;
const isSubscription = ({ query, operationName }, { documentAST } = {}) =>
  documentAST?.definitions.some(({ kind, operation, name }) =>
    kind === 'OperationDefinition' && operation === 'subscription' &&
    (!operationName || name?.value === operationName)) ?? /^\\s*subscription\\b/m.test(query);

async function fetcher(request, options = {}) {
  if (isSubscription(request, options))
    return graphqlSse.createClient({ url, headers: options.headers ?? {}, retryAttempts: 0 }).iterate(request);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...options.headers },
    body: JSON.stringify(request),
  });
  return response.json();
}

const headers = ${JSON.stringify(headers)};
const defaultTabs = ${JSON.stringify(examples)}.map((example) => ({ ...example, headers }));
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher, defaultTabs, defaultHeaders: headers, isHeadersEditorEnabled: true }),
);
`;
