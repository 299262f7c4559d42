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
  globalThis.roster = { console: href.replace(/\/$/, ''), links, failure };
})();
