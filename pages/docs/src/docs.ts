import { excerptOf, search, type SearchEntry } from './search.js';

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

showContents();
for (const choice of document.querySelectorAll<HTMLElement>('.choice')) makeChoice(choice);
for (const block of document.querySelectorAll('pre')) addCopyButton(block);
for (const trial of document.querySelectorAll<HTMLDetailsElement>('.trial')) makeTrial(trial);
makeSearch();

/** A wide window shows the contents beside the page. */
function showContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>('.contents');
  const isWide = matchMedia('(min-width: 60rem)');
  const follow = () => {
    if (contents) contents.open = isWide.matches;
  };
  follow();
  isWide.addEventListener('change', follow);
  contents?.addEventListener('click', ({ target }) => {
    if (!isWide.matches && (target as Element).closest('a')) contents.open = false;
  });
  // The navigation is scrolled on its own: it shows the page that is open.
  document
    .querySelector('[aria-current], .contents details[open]')
    ?.scrollIntoView({ block: 'nearest' });
  scrollTo(0, 0);
  document
    .querySelector(
      location.hash === ''
        ? ':not(*)'
        : `[id="${CSS.escape(decodeURIComponent(location.hash.slice(1)))}"]`,
    )
    ?.scrollIntoView();
}

/** Shows one of several samples: in the language that the reader chose last, if there is one. */
function makeChoice(choice: HTMLElement): void {
  const samples = [...choice.querySelectorAll<HTMLElement>('[data-label]')];
  if (samples.length < 2) return;
  const bar = make('div', { className: 'choices' });
  const show = (label: string) => {
    for (const sample of samples) sample.hidden = sample.dataset['label'] !== label;
    for (const button of bar.querySelectorAll('button'))
      button.ariaPressed = String(button.textContent === label);
  };
  for (const { dataset } of samples) {
    const label = dataset['label']!;
    const button = make('button', { type: 'button' }, label);
    button.addEventListener('click', () => {
      sessionStorage.setItem('docs:sample', label);
      for (const other of document.querySelectorAll<HTMLElement>('.choice'))
        other.dispatchEvent(new CustomEvent('choose', { detail: label }));
    });
    bar.append(button);
  }
  choice.classList.add('chosen');
  choice.querySelector('h3')!.after(bar);
  const labels = samples.map(({ dataset }) => dataset['label']!);
  const choose = (label: string | null) => {
    if (label !== null && labels.includes(label)) show(label);
  };
  choice.addEventListener('choose', (event) => choose((event as CustomEvent<string>).detail));
  show(labels[0]!);
  choose(sessionStorage.getItem('docs:sample'));
}

function addCopyButton(block: HTMLElement): void {
  const button = make('button', { type: 'button', className: 'copy' }, 'Copy');
  const copy = async () => {
    await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  };
  button.addEventListener('click', () => void copy());
  const frame = make('div', { className: 'code' });
  block.replaceWith(frame);
  frame.append(block, button);
}

/** The API key, in the memory of this page alone. */
let key = '';

function makeTrial(trial: HTMLDetailsElement): void {
  const form = trial.querySelector<HTMLFormElement>('form')!;
  const answer = form.querySelector<HTMLElement>('.answer')!;
  trial.hidden = false;
  const send = async () => {
    const field = form.querySelector<HTMLInputElement>('[data-key]')!;
    if (!takeKey(field)) return;
    answer.replaceChildren('Sending…');
    answer.replaceChildren(...(await answered(form)));
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
}

/** Remembers the key of a field, and removes it from the field, so that it is never shown. */
function takeKey(field: HTMLInputElement): boolean {
  const entered = field.value.trim();
  const isKey = /^[\x21-\x7e]*$/.test(entered);
  // fetch rejects other characters in a header.
  field.setCustomValidity(isKey ? '' : 'A key contains only letters, digits and underscores.');
  if (isKey && entered === '' && key === '') field.setCustomValidity('Enter an API key.');
  field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
  if (!field.reportValidity()) return false;
  if (entered !== '') key = entered;
  for (const other of document.querySelectorAll<HTMLInputElement>('[data-key]')) {
    other.value = '';
    other.placeholder = 'entered; type another to replace it';
  }
  return true;
}

async function answered(form: HTMLFormElement): Promise<(Node | string)[]> {
  const { method = '', path = '', type = '' } = form.dataset;
  const url = new URL(`../..${filled(path, form)}`, location.href);
  for (const { name, value } of form.querySelectorAll<HTMLInputElement>('[data-in="query"]'))
    if (value !== '') url.searchParams.append(name, value);
  const body = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value ?? '';
  const startedAt = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== '' && { 'Content-Type': type }),
      },
      ...(body !== '' && { body }),
      credentials: 'omit',
    });
    const text = await response.text();
    const ms = Math.round(performance.now() - startedAt);
    const requestId = response.headers.get('x-request-id') ?? '';
    const line = make(
      'p',
      { className: response.ok ? 'outcome good' : 'outcome bad' },
      `${response.status} ${response.statusText} · ${ms} ms · ${requestId}`,
    );
    if (text === '') return [line];
    return [line, make('pre', { tabIndex: 0 }, make('code', {}, readable(text)))];
  } catch {
    const sentence =
      'The request got no answer: the gateway cannot be reached from this page. Try again.';
    return [make('p', { className: 'outcome bad' }, sentence)];
  }
}

const filled = (path: string, form: HTMLFormElement): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(
      form.querySelector<HTMLInputElement>(`[data-in="path"][name="${name}"]`)!.value,
    ),
  );

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function makeSearch(): void {
  const box = document.querySelector<HTMLElement>('#search')!;
  const field = document.querySelector<HTMLInputElement>('#find')!;
  const found = document.querySelector<HTMLUListElement>('#found')!;
  const count = document.querySelector<HTMLElement>('#count')!;
  const docs = box.dataset['docs']!;
  let loading: Promise<SearchEntry[]> | undefined;
  const load = () => (loading ??= fetch(`${docs}assets/search.json`).then((one) => one.json()));
  box.hidden = false;
  field.addEventListener('focus', () => void load());
  const close = () => (found.hidden = true);
  const show = async () => {
    const query = field.value;
    const results = search(await load(), query);
    if (query !== field.value) return;
    found.replaceChildren(...results.map((entry) => resultOf(entry, query, docs)));
    found.hidden = query.trim() === '';
    count.textContent = found.hidden ? '' : `${results.length} results`;
    if (!found.hidden && results.length === 0)
      found.replaceChildren(
        make('li', { className: 'none' }, `Nothing found for “${query.trim()}”.`),
      );
  };
  field.addEventListener('input', () => void show());
  field.addEventListener('focus', () => void show());
  box.addEventListener('keydown', (event) => {
    const links = [...found.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
    else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1]! : field).focus();
    else if (event.key === 'Enter' && document.activeElement === field) links[0]?.click();
    else if (event.key === 'Escape') {
      field.focus();
      close();
    } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).matches('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  document.addEventListener('click', ({ target }) => {
    if (!box.contains(target as Node) || (target as Element).closest('#found a')) close();
  });
}

const resultOf = (entry: SearchEntry, query: string, docs: string): HTMLLIElement => {
  const [href, title, part] = entry;
  const target =
    href === '' || href.startsWith('#')
      ? `${docs.replace(/docs\/$/, '')}${docs === '../' ? '../docs' : 'docs'}${href}`
      : docs + href;
  return make(
    'li',
    {},
    make(
      'a',
      { href: target },
      make('b', {}, title),
      make('span', {}, part),
      make('small', {}, excerptOf(entry, query)),
    ),
  );
};
