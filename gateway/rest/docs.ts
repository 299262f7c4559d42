import { createRequire } from 'node:module';
import { javascript, pageFiles, stylesheet } from '../http/response/page-files.js';
import { fixed, type Route } from '../http/routes.js';

const require = createRequire(import.meta.url);

/** Allows only resources of this origin. The explorer requires inline styles. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference at `/docs`, which shows the OpenAPI document and sends requests from the page. */
export function docsRoutes(service: string): Route[] {
  const page = Buffer.from(pageOf(service));
  return [
    {
      methods: ['GET'],
      path: '/docs',
      operation: 'docs',
      answer: fixed('text/html; charset=utf-8', page, { 'Content-Security-Policy': policy }),
    },
    pageFiles('/docs/assets/{file}', 'docs', {
      'start.js': { mediaType: javascript, text: startScript },
      'docs.css': { mediaType: stylesheet, text: stylesheetText },
      'explorer.js': {
        mediaType: javascript,
        manifest: require.resolve('openapi-explorer/package.json'),
        path: 'dist/browser/openapi-explorer.min.js',
      },
    }),
  ];
}

/** The page at `/docs`. Paths of files are relative, so that the gateway can be mounted below any path. */
export const pageOf = (service: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${service} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/docs.css">
<body>
<form id="key-form">
  <label for="key">API key</label>
  <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="rsk_">
  <span>for requests from this page, kept until this browser tab is closed</span>
  <nav aria-label="Documentation"><a href="v1/openapi.json">OpenAPI document</a> <a href="problems">Problems</a></nav>
</form>
<openapi-explorer id="explorer" hide-server-selection="true" hide-authentication="true" hide-components="true"
  default-schema-tab="body" use-path-in-nav-bar="false" bg-color="#fff" text-color="#222" nav-bg-color="#f5f6f8"
  nav-text-color="#222" nav-hover-text-color="#000" nav-accent-color="#1f5fbf" primary-color="#1f5fbf" secondary-color="#444">
</openapi-explorer>
<script type="module" src="docs/assets/explorer.js"></script>
<script type="module" src="docs/assets/start.js"></script>
</body>
</html>
`;

export const stylesheetText = `
body { margin: 0; font: 16px/1.5 system-ui, sans-serif }
openapi-explorer { --font-regular: system-ui, sans-serif; --font-mono: ui-monospace, monospace; height: auto }
#key-form { padding: 8px 16px; font-size: 14px; border-bottom: 1px solid #ccc }
#key { width: 24em; font: inherit }
nav { display: inline; margin-left: 16px }
a { color: #1f5fbf }
`;

/** Runs in the browser. The key is shared with GraphiQL. */
export const startScript = `
const explorer = document.getElementById('explorer');
const keyField = document.getElementById('key');
const isKey = (key) => /^[\\x21-\\x7e]*$/.test(key);

function useKey() {
  const key = keyField.value.trim();
  // fetch rejects other characters in a header.
  keyField.setCustomValidity(isKey(key) ? '' : 'A key contains only letters, digits and underscores.');
  keyField.reportValidity();
  sessionStorage.setItem('roster:key', isKey(key) ? key : '');
  explorer.setAuthenticationConfiguration('apiKey', { token: isKey(key) ? key : '' });
}

// The explorer reads samples under another name than the extension's.
const renameSamples = ({ 'x-codeSamples': samples, ...operation }) =>
  ({ ...operation, ...(samples && { 'x-code-samples': samples }) });

const response = await fetch('v1/openapi.json');
const openapi = await response.json();
openapi.servers = [{ url: location.href.replace(/\\/docs\\/?([?#].*)?$/, '') }];
for (const [path, methods] of Object.entries(openapi.paths))
  openapi.paths[path] = Object.fromEntries(
    Object.entries(methods).map(([method, operation]) => [method, renameSamples(operation)]));

keyField.value = sessionStorage.getItem('roster:key') ?? '';
explorer.addEventListener('spec-loaded', useKey);
keyField.addEventListener('change', useKey);
document.getElementById('key-form').addEventListener('submit', (event) => event.preventDefault());
explorer.loadSpec(openapi);
`;
