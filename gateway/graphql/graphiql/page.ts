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
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Roster GraphQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphql/assets/graphiql.css">
<style>
  :root { color-scheme: light dark }
  body { margin: 0; height: 100dvh; display: flex; flex-direction: column }
  header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; padding: 8px 16px; border-bottom: 1px solid #ccc;
    font: 14px/1.5 system-ui, sans-serif }
  h1 { margin: 0; font-size: 16px }
  #key-form { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 8px }
  #key { width: 18em; font: inherit; padding: 4px 8px }
  #graphiql { flex: 1; min-height: 0 }
</style>
</head>
<body>
<header>
  <h1>GraphQL</h1>
  <form id="key-form">
    <label for="key">API key</label>
    <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="rsk_" aria-describedby="key-note">
    <span id="key-note">Used by all tabs, and forgotten when this page is left. Without a key: <a href="docs#get-a-key">where to get one</a>.</span>
  </form>
</header>
<main id="graphiql"></main>
<script src="graphql/assets/react.js"></script>
<script src="graphql/assets/react-dom.js"></script>
<script src="graphql/assets/graphql-sse.js"></script>
<script src="graphql/assets/graphiql.js"></script>
<script src="graphql/assets/start.js"></script>
</body>
</html>
`;

/**
 * Runs in the browser, in a page without an origin, and therefore without storage: keys and operations stay in its memory.
 * Subscriptions use SSE; queries and mutations use POST. The key is sent with the requests of all tabs, except one whose headers
 * contain another.
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
const stored = new Map();
const storage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => void stored.set(name, String(value)),
  removeItem: (name) => void stored.delete(name),
  clear: () => stored.clear(),
  get length() { return stored.size; },
};
const root = ReactDOM.createRoot(document.getElementById('graphiql'));
// Another fetcher makes GraphiQL read the schema again.
const render = (key) =>
  root.render(React.createElement(GraphiQL, { fetcher: fetcherWith(key), defaultTabs, storage, isHeadersEditorEnabled: true }));

function useKey() {
  const key = keyField.value.trim();
  // fetch rejects other characters in a header.
  const isKey = /^[\\x21-\\x7e]*$/.test(key);
  keyField.setCustomValidity(isKey ? '' : 'A key contains only letters, digits and underscores.');
  keyField.reportValidity();
  render(isKey ? key : '');
}

// The fields of the editors have no names of their own.
function nameEditors() {
  for (const field of document.querySelectorAll('.CodeMirror textarea:not([aria-label])')) {
    const tools = [...(field.closest('.graphiql-editor-tool')?.querySelectorAll('.CodeMirror textarea') ?? [])];
    const name = field.closest('.graphiql-query-editor') ? 'Operation' : ['Variables', 'Headers'][tools.indexOf(field)];
    field.setAttribute('aria-label', name ?? 'Result');
  }
}
new MutationObserver(nameEditors).observe(document.getElementById('graphiql'), { childList: true, subtree: true });

keyField.addEventListener('change', useKey);
document.getElementById('key-form').addEventListener('submit', (event) => event.preventDefault());
render('');
`;
