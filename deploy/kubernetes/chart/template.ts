/** Objects as templates of Helm: plain YAML, with a condition around each part that depends on components. */
import { stringify } from 'yaml';

import { isMap, type Presence, type Tree, type Value } from './conditional.js';

/** The expression that is true if one of the components is chosen. */
export function anyOf(components: readonly string[]): string {
  const all = components.map((component) => `.Values.components.${valueName(component)}`);
  return all.length === 1 ? all[0]! : `(or ${all.join(' ')})`;
}

/** `external-secrets/database` is `externalSecretsDatabase` in values. */
export const valueName = (name: string): string =>
  name.replace(/[-/](\w)/g, (_, letter: string) => letter.toUpperCase());

/** An expression in place of a value: a scalar, or, if `block`, a list or map. */
export interface Expression {
  text: string;
  block?: boolean;
  /** What the manifests contain in its place. */
  instead: Value;
}

/** The expressions of a chart. In objects, a name stands for each, which no manifest contains. */
export class Expressions {
  readonly #all: Expression[] = [];

  name(expression: Expression): string {
    let at = this.#all.findIndex(({ text }) => text === expression.text);
    if (at < 0) at = this.#all.push(expression) - 1;
    return `EXPRESSION-${at}-`;
  }

  /** The object as it was in the manifests. */
  undo(value: Value): Value {
    if (Array.isArray(value)) return value.map((one) => this.undo(one));
    if (isMap(value))
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.undo(one)]));
    if (typeof value !== 'string') return value;
    const whole = /^EXPRESSION-(\d+)-$/.exec(value);
    if (whole) return this.#all[Number(whole[1])]!.instead;
    return value.replace(/EXPRESSION-(\d+)-/g, (_, at) => this.#all[Number(at)]!.instead as string);
  }

  /** Replaces the names in a template. */
  fillIn(template: string): string {
    return template
      .replace(/^( *)((?:- )*)([^\n:]+:) EXPRESSION-(\d+)-$/gm, (line, indent, dashes, key, at) => {
        const { text, block } = this.#all[Number(at)]!;
        if (!block) return line;
        const width = String(indent).length + String(dashes).length + 2;
        return `${indent}${dashes}${key}\n{{- toYaml ${text} | nindent ${width} }}`;
      })
      .replace(/EXPRESSION-(\d+)-/g, (_, at) => `{{ ${this.#all[Number(at)]!.text} }}`);
  }
}

/** An object as a template, whose expressions are still names. */
export function templateOf(tree: Tree): string {
  return [...lines(tree, '')].join('\n');
}

function* lines(tree: Tree, indent: string): Generator<string> {
  if (tree.kind === 'map')
    for (const [key, presence, part] of tree.entries)
      if (part.kind === 'choice' && !presence.byDefault) yield* entry(key, part, indent);
      else yield* wrapped(presence, indent, entry(key, part, indent));
  else if (tree.kind === 'list')
    for (const [presence, part] of tree.items) yield* wrapped(presence, indent, item(part, indent));
  else if (tree.kind === 'same') yield* plain(tree.value, indent);
  else throw new Error('A whole object that differs must be a map.');
}

/** A line for each entry of a map of strings, with the conditions around it. */
export function presenceLines(map: Tree, line: (key: string, text: string) => string): string[] {
  if (map.kind === 'same')
    return Object.entries(map.value as Record<string, string>).map(([...pair]) => line(...pair));
  if (map.kind !== 'map') throw new Error('Not a map.');
  return map.entries.flatMap(([key, presence, part]) => {
    if (part.kind === 'same') return [...wrapped(presence, '', [line(key, part.value as string)])];
    if (part.kind !== 'choice') throw new Error(`Not a string: ${key}`);
    return [...choice(part, '', (value) => [line(key, value as string)])];
  });
}

function* choice(
  { of, otherwise }: Extract<Tree, { kind: 'choice' }>,
  indent: string,
  inner: (value: Value) => Iterable<string>,
): Generator<string> {
  for (const [at, [component, value]] of of.entries()) {
    yield `${indent}{{- ${at === 0 ? 'if' : 'else if'} ${anyOf([component])} }}`;
    yield* inner(value);
  }
  if (otherwise !== undefined) {
    yield `${indent}{{- else }}`;
    yield* inner(otherwise);
  }
  yield `${indent}{{- end }}`;
}

function* wrapped(presence: Presence, indent: string, inner: Iterable<string>): Generator<string> {
  const { byDefault, components } = presence;
  if (components.length > 0) {
    const condition = anyOf(components);
    yield `${indent}{{- if ${byDefault ? `not ${condition}` : condition} }}`;
  }
  yield* inner;
  if (components.length > 0) yield `${indent}{{- end }}`;
}

function* entry(key: string, part: Tree, indent: string): Generator<string> {
  if (part.kind === 'same') yield* plain({ [key]: part.value }, indent);
  else if (part.kind === 'choice')
    yield* choice(part, indent, (value) => plain({ [key]: value }, indent));
  else {
    yield `${indent}${key}:`;
    yield* lines(part, `${indent}  `);
  }
}

function* item(part: Tree, indent: string): Generator<string> {
  if (part.kind === 'same') yield* plain([part.value], indent);
  else {
    const [first = '', ...rest] = lines(part, `${indent}  `);
    if (first.trimStart().startsWith('{{')) throw new Error('The first field of an item differs.');
    yield `${indent}- ${first.slice(indent.length + 2)}`;
    yield* rest;
  }
}

/** What reads like a template in a manifest is text. */
function* plain(value: Value, indent: string): Generator<string> {
  const text = stringify(value, { lineWidth: 0, blockQuote: 'literal' }).replace(/\n$/, '');
  for (const line of text.replaceAll('{{', '{{ "{{" }}').split('\n'))
    yield line === '' ? '' : `${indent}${line}`;
}
