import { escaped, escapedWithCode } from '../html.js';
import { fieldOf, fieldsOf } from './fields.js';
import {
  type Content,
  type OpenApi,
  type Parameter,
  type PlacedOperation,
  type Response,
  resolved,
} from './openapi.js';

/** The operations of a tag, as HTML of a page at `/docs/reference/{tag}`. */
export const referenceOf = (openapi: OpenApi, tag: string, all: PlacedOperation[]): string => {
  const { description = '' } = openapi.tags.find(({ name }) => name === tag) ?? {};
  return (
    `<h1>${escaped(tag)}</h1><p>${escapedWithCode(description)}</p>` +
    all.map((one) => operationOf(openapi, one)).join('')
  );
};

function operationOf(openapi: OpenApi, placed: PlacedOperation): string {
  const { method, path, operation } = placed;
  const { operationId, summary, description } = operation;
  return (
    `<section class="operation" id="${escaped(operationId)}"><div>` +
    `<h2><a href="#${escaped(operationId)}">${escaped(summary)}</a></h2>` +
    `<p class="line">${methodOf(method)} <code>${wrapped(path)}</code></p>` +
    `<p>${escapedWithCode(description)}</p>` +
    parametersOf(openapi, placed, 'path', 'Path') +
    parametersOf(openapi, placed, 'query', 'Query') +
    bodyOf(openapi, placed) +
    parametersOf(openapi, placed, 'header', 'Headers') +
    responsesOf(openapi, placed) +
    `</div><div class="samples">${samplesOf(openapi, placed)}</div></section>`
  );
}

export const methodOf = (method: string): string =>
  `<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`;

/** A path or name that may break after its separators. */
const wrapped = (path: string): string => escaped(path).replaceAll(/([/_])/g, '$1<wbr>');

function parametersOf(
  openapi: OpenApi,
  { operation }: PlacedOperation,
  place: Parameter['in'],
  title: string,
): string {
  const own = (operation.parameters ?? [])
    .map((one) => resolved<Parameter>(openapi, one))
    .filter((one) => one.in === place);
  if (own.length === 0) return '';
  const fields = own.map(({ name, description, schema, required }) =>
    fieldOf(
      openapi,
      name,
      { ...schema, ...(description !== undefined && { description }) },
      required,
    ),
  );
  return `<h3>${title}</h3><dl class="fields">${fields.join('')}</dl>`;
}

function bodyOf(openapi: OpenApi, { operation, method }: PlacedOperation): string {
  const content = Object.entries(operation.requestBody?.content ?? {});
  const [[type, { schema }] = ['', { schema: {} }]] = content;
  if (content.length === 0) return '';
  const types = content.map(([type]) => `<code>${escaped(type)}</code>`).join(', ');
  const title = `<h3>${method === 'EVENT' ? 'Body of the delivery' : 'Body'}</h3><p>${types}</p>`;
  return type.includes('json') && !type.includes('ndjson')
    ? title + fieldsOf(openapi, schema)
    : title;
}

function responsesOf(openapi: OpenApi, { operation, method }: PlacedOperation): string {
  const all = Object.entries(operation.responses).map(
    ([status, one]) => [status, resolved<Response>(openapi, one)] as const,
  );
  const codes = all.flatMap(([status, one]) =>
    (one['x-codes'] ?? []).map(
      (code) =>
        `<li><a href="../../problems/${escaped(code)}"><code>${escaped(code)}</code></a> ${status}</li>`,
    ),
  );
  const successes = all.filter(([, one]) => one['x-codes'] === undefined);
  const described = successes.map(([status, { description, content = {} }]) => {
    const schema = content['application/json']?.schema;
    const files = Object.keys(content).filter((type) => type !== 'application/json');
    return (
      `<p><code>${escaped(status)}</code> ${escapedWithCode(description)}` +
      `${files.map((type) => ` <code>${escaped(type)}</code>`).join('')}</p>` +
      (schema ? `<details><summary>Fields</summary>${fieldsOf(openapi, schema)}</details>` : '')
    );
  });
  return (
    `<h3>${method === 'EVENT' ? 'What your server answers' : 'Response'}</h3>${described.join('')}` +
    (codes.length > 0 ? `<h3>Faults</h3><ul class="codes">${codes.join('')}</ul>` : '')
  );
}

function samplesOf(openapi: OpenApi, placed: PlacedOperation): string {
  const { operation, method } = placed;
  const requests = (operation['x-codeSamples'] ?? []).map(({ label, source }) => ({
    label,
    source,
  }));
  const bodies = Object.values(operation.requestBody?.content ?? {});
  const deliveries = method === 'EVENT' ? bodies.flatMap(examplesOf) : [];
  const answers = Object.entries(operation.responses).flatMap(([status, one]) =>
    Object.values(resolved<Response>(openapi, one).content ?? {})
      .filter(({ example }) => example !== undefined && status < '300')
      .map(({ example }) => ({ label: status, source: json(example) })),
  );
  return (
    choiceOf('Request', requests) +
    choiceOf('Delivery', deliveries) +
    choiceOf('Response', answers) +
    (method === 'EVENT' ? '' : trialOf(openapi, placed))
  );
}

const examplesOf = ({ examples = {} }: Content) =>
  Object.entries(examples).map(([label, { value }]) => ({ label, source: json(value) }));

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Samples, of which the script shows one. Without it, they are shown one below the other. */
function choiceOf(title: string, samples: { label: string; source: string }[]): string {
  if (samples.length === 0) return '';
  const entries = samples.map(
    ({ label, source }) =>
      `<div data-label="${escaped(label)}"><h4>${escaped(label)}</h4><pre tabindex="0"><code>${escaped(source)}</code></pre></div>`,
  );
  return `<div class="choice"><h3>${title}</h3>${entries.join('')}</div>`;
}

/** The form that sends a request from the page. The script shows it. */
function trialOf(openapi: OpenApi, { method, path, operation }: PlacedOperation): string {
  const id = escaped(operation.operationId);
  const parameters = (operation.parameters ?? [])
    .map((one) => resolved<Parameter>(openapi, one))
    .filter(({ in: place }) => place !== 'header');
  const [[type, body] = ['', undefined]] = Object.entries(operation.requestBody?.content ?? {});
  const input = (name: string, label: string, attributes: string) =>
    `<label for="${id}-${escaped(name)}">${escaped(label)}</label>` +
    `<input id="${id}-${escaped(name)}" name="${escaped(name)}" autocomplete="off" spellcheck="false" ${attributes}>`;
  return (
    `<details class="trial" hidden><summary>Try it</summary>` +
    `<form data-method="${method}" data-path="${escaped(path)}" data-type="${escaped(type)}">` +
    input('.key', 'API key', 'type="password" data-key placeholder="rsk_…"') +
    '<p class="hint">Kept in the memory of this page only, until you leave it.</p>' +
    parameters
      .map(({ name, in: place, required }) =>
        input(name, name, `data-in="${place}"${required ? ' required' : ''}`),
      )
      .join('') +
    (body
      ? `<label for="${id}-body">Body</label><textarea id="${id}-body" data-body rows="6" spellcheck="false">${escaped(textOf(body.example))}</textarea>`
      : '') +
    `<button type="submit">Send ${method} request</button>` +
    '<div class="answer" role="status"></div></form></details>'
  );
}

const textOf = (example: unknown): string => {
  if (typeof example === 'string') return example;
  return example === undefined ? '' : json(example);
};
