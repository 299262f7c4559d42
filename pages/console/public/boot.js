// Blocking, before the first paint and before any other script sees the address.
(() => {
  const { href } = new URL('.', document.currentScript.src);
  // Browsers read it late, when the address may have another depth.
  const icon = document.querySelector('link[rel="icon"]');
  icon.href = new URL('icon.svg', href).href;
  const [, links] = /^#link=(rsl_\w+(?:,rsl_\w+)*)$/.exec(location.hash) ?? [];
  const [, failure] = /^#sign-in=([a-z]+)$/.exec(location.hash) ?? [];
  // Links for signing in stay out of the history.
  if (links || failure) history.replaceState(null, '', location.pathname + location.search);
  let theme = null;
  try {
    theme = localStorage.getItem('roster:theme');
  } catch {}
  if (theme) document.documentElement.dataset.theme = theme;
  // Scripts are still on their way: what they need first is asked for now.
  const token = fetch(`${href}session/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  token.catch(() => {});
  const bought = token.then((answer) => (answer.ok ? answer.clone().json() : {}));
  const [path] = location.href.slice(href.length).split(/[/?#]/);
  const screen = path || 'contacts';
  const ofScreen = (name) =>
    JSON.parse(document.querySelector(`meta[name="${name}"]`)?.content ?? '{}')[screen] ?? [];
  const answers = new Map();
  const ask = async (body) => {
    const { token } = await bought;
    if (!token) return undefined;
    const headers = {
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    };
    return { token, response: await fetch(`${href}../graphql`, { method: 'POST', headers, body }) };
  };
  // What has filters asks otherwise; who signs in with a link may open another workspace.
  if (!location.search && !links)
    for (const body of ofScreen('requests'))
      answers.set(
        body,
        ask(body).catch(() => undefined),
      );
  for (const file of ofScreen('screens')) {
    const isStyle = file.endsWith('.css');
    const link = document.createElement('link');
    Object.assign(link, {
      rel: isStyle ? 'preload' : 'modulepreload',
      as: isStyle ? 'style' : 'script',
      crossOrigin: '',
      href: href + file,
    });
    document.head.append(link);
  }
  globalThis.roster = { console: href.replace(/\/$/, ''), links, failure, token, answers };
})();
