/** Operations in the initial tabs. */
const examples: { query: string; variables?: string }[] = [
  {
    query: `# Enter your API key at the top of the page.
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
    variables:
      '{\n  "input": { "email": "hedy@example.com", "name": "Hedy Lamarr", "tags": ["vip"] }\n}',
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
    query: `# The status of each webhook, and its dead deliveries: send one again with the mutation retryDelivery.
query WebhookHealth {
  webhooks(first: 10) {
    id url status disabledReason lastSuccessAt lastFailureAt
    deliveries(first: 5, status: DEAD) {
      pageInfo { hasNextPage endCursor }
      nodes { id kind reason createdAt attempts(last: 3) { startedAt statusCode error } }
    }
  }
}
`,
  },
];

/** Asset paths are relative, so that the gateway can be mounted below any path. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Roster GraphQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphql/assets/graphiql.css">
<style>
  body { margin: 0; height: 100vh; display: flex; flex-direction: column }
  #key-form { padding: 8px 16px; font: 14px sans-serif; border-bottom: 1px solid #ccc }
  #key { width: 24em; font: inherit }
  #graphiql { flex: 1; min-height: 0 }
</style>
<body>
<form id="key-form">
  <label for="key">API key</label>
  <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="rsk_">
  <span>for all tabs, kept until this browser tab is closed</span>
</form>
<div id="graphiql"></div>
<script src="graphql/assets/react.js"></script>
<script src="graphql/assets/react-dom.js"></script>
<script src="graphql/assets/graphql-sse.js"></script>
<script src="graphql/assets/graphiql.js"></script>
<script src="graphql/assets/start.js"></script>
</body>
</html>
`;

/**
 * Runs in the browser. Subscriptions use SSE; queries and mutations use POST. The key is sent with the requests of all tabs, except
 * one whose headers contain another.
 */
export const startScript = `
const url = location.pathname;
const keyField = document.getElementById('key');
const isSubscription = ({ query, operationName }, { documentAST } = {}) =>
  documentAST?.definitions.some(({ kind, operation, name }) =>
    kind === 'OperationDefinition' && operation === 'subscription' &&
    (!operationName || name?.value === operationName)) ?? /^\\s*subscription\\b/m.test(query);

const fetcherWith = (key) => async (request, options = {}) => {
  const headers = new Headers(options.headers);
  if (!headers.has('authorization')) {
    if (!key) return { errors: [{ message: 'Enter your API key at the top of the page.' }] };
    headers.set('authorization', 'Bearer ' + key);
  }
  if (isSubscription(request, options))
    return graphqlSse.createClient({ url, headers: Object.fromEntries(headers), retryAttempts: 0 }).iterate(request);
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json');
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
  return response.json();
};

const defaultTabs = ${JSON.stringify(examples)};
const root = ReactDOM.createRoot(document.getElementById('graphiql'));
// Another fetcher makes GraphiQL read the schema again.
const render = (key) =>
  root.render(React.createElement(GraphiQL, { fetcher: fetcherWith(key), defaultTabs, isHeadersEditorEnabled: true }));

function useKey() {
  const key = keyField.value.trim();
  // fetch rejects other characters in a header.
  const isKey = /^[\\x21-\\x7e]*$/.test(key);
  keyField.setCustomValidity(isKey ? '' : 'A key contains only letters, digits and underscores.');
  keyField.reportValidity();
  sessionStorage.setItem('roster:key', isKey ? key : '');
  render(isKey ? key : '');
}
keyField.value = sessionStorage.getItem('roster:key') ?? '';
keyField.addEventListener('change', useKey);
document.getElementById('key-form').addEventListener('submit', (event) => event.preventDefault());
render(keyField.value);
`;
