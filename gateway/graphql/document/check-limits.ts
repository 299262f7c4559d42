import {
  Kind,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { refused, type DocumentCode } from '../errors.js';
import { documentLimits, listSizes } from './limits.js';

/** Maximum number of selections visited in all operations and fragments of a document together. */
const visitsMax = 20_000;

export interface LimitOptions {
  introspection: boolean;
}

/**
 * Rejects documents that would be costly to validate or to execute. Traverses the document as execution would, merging fields
 * and entering fragments, and stops at the first limit, so that the check itself is bounded.
 *
 * @param variables as the client sent them, because the size of a page may be a variable
 */
export function checkLimits(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>> | undefined,
  options: LimitOptions,
): GraphQLError | undefined {
  try {
    new Measure(document, variables ?? {}, options).run();
    return undefined;
  } catch (error) {
    if (error instanceof Exceeded) return refused(error.code, error.message);
    throw error;
  }
}

class Exceeded extends Error {
  readonly code: DocumentCode;

  constructor(code: DocumentCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface Level {
  depth: number;
  depthMax: number;
  /** Maximum number of times that the response can contain this level. */
  times: number;
}

class Measure {
  readonly #document: DocumentNode;
  readonly #options: LimitOptions;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #variables: Readonly<Record<string, unknown>>;
  #cost = 0;
  #visits = 0;
  #repetitions = 0;

  constructor(
    document: DocumentNode,
    variables: Readonly<Record<string, unknown>>,
    options: LimitOptions,
  ) {
    this.#document = document;
    this.#variables = variables;
    this.#options = options;
  }

  run(): void {
    const { definitions } = this.#document;
    for (const definition of definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
    countAliases(this.#document);
    for (const definition of definitions) {
      if (
        definition.kind !== Kind.OPERATION_DEFINITION &&
        definition.kind !== Kind.FRAGMENT_DEFINITION
      )
        continue;
      this.#cost = 0;
      const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
      if (isOperation) this.#useDefaults(definition);
      // Fragments are validated even if unused. Whether they are part of an introspection is known only where they are spread.
      const depthMax = isOperation ? documentLimits.depth : documentLimits.introspectionDepth;
      this.#visit([definition.selectionSet], { depth: 1, depthMax, times: 1 });
    }
  }

  #useDefaults({ variableDefinitions = [] }: OperationDefinitionNode): void {
    const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    );
    this.#variables = { ...(Object.fromEntries(defaults) as object), ...this.#variables };
  }

  #visit(sets: SelectionSetNode[], { depth, depthMax, times }: Level): void {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const set of sets) this.#collect(set, fields, spread);
    if (fields.size > 0 && depth > depthMax)
      throw new Exceeded(
        'query_too_deep',
        `The document is nested more than ${depthMax} levels deep.`,
      );
    for (const same of fields.values()) {
      this.#repetitions += same.length ** 2;
      if (this.#repetitions > documentLimits.repetitions)
        throw new Exceeded(
          'query_too_repetitive',
          'The document repeats the same fields too often.',
        );
      this.#cost += times;
      if (this.#cost > documentLimits.cost)
        throw new Exceeded(
          'query_too_costly',
          `The document costs more than ${documentLimits.cost}. Fields of a page are multiplied by the page size.`,
        );
      const { name } = same[0]!;
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (name.value === '__schema' || name.value === '__type') this.#requireIntrospection();
      if (below.length === 0) continue;
      const introspects = name.value === '__schema' || name.value === '__type';
      this.#visit(below, {
        depth: depth + 1,
        depthMax: introspects ? documentLimits.introspectionDepth : depthMax,
        times: times * Math.max(...same.map((field) => this.#entriesOf(field))),
      });
    }
  }

  #requireIntrospection(): void {
    if (!this.#options.introspection)
      throw new Exceeded('introspection_disabled', 'Introspection is disabled.');
  }

  /** CollectFields of the GraphQL specification: groups fields by response name, and enters each fragment once. */
  #collect(
    { selections }: SelectionSetNode,
    fields: Map<string, FieldNode[]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      this.#visits += 1;
      if (this.#visits > visitsMax)
        throw new Exceeded('query_too_costly', 'The document contains too many fragment spreads.');
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = fields.get(name);
        if (same) same.push(selection);
        else fields.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(selection.selectionSet, fields, spread);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment) this.#collect(fragment.selectionSet, fields, spread);
      }
    }
  }

  /** Maximum number of entries in the result of a field. */
  #entriesOf({ name, arguments: given = [] }: FieldNode): number {
    for (const { name: argument, value } of given) {
      if (argument.value === 'first' || argument.value === 'last') {
        const count = this.#valueOf(value);
        if (typeof count === 'number' && count > 0) return count;
      }
      if (argument.value === 'ids') {
        const ids = value.kind === Kind.LIST ? value.values : this.#valueOf(value);
        if (Array.isArray(ids)) return Math.max(1, ids.length);
      }
    }
    return listSizes[name.value] ?? 1;
  }

  #valueOf(value: ValueNode): unknown {
    if (value.kind === Kind.INT) return Number(value.value);
    return value.kind === Kind.VARIABLE ? this.#variables[value.name.value] : undefined;
  }
}

function countAliases(document: DocumentNode): void {
  let aliases = 0;
  const pending: ASTNode[] = [...document.definitions];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.kind === Kind.FIELD && node.alias) aliases += 1;
    if ('selectionSet' in node && node.selectionSet) pending.push(...node.selectionSet.selections);
  }
  if (aliases > documentLimits.aliases)
    throw new Exceeded(
      'too_many_aliases',
      `The document has more than ${documentLimits.aliases} aliases.`,
    );
}
