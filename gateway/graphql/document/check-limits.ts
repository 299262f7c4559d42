import {
  getIntrospectionQuery,
  Kind,
  OperationTypeNode,
  parse,
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { refused } from '../errors.js';
import { valueOf, type CostModel, type SelectedField, type Variables } from './cost-model.js';
import { CostTally } from './cost-tally.js';
import { documentLimits } from './limits.js';

/** Maximum number of selections visited in all operations and fragments of a document together. */
const visitsMax = 20_000;

export interface LimitOptions {
  model: CostModel;
  /** Maximum cost of introspection; 0 if it is disabled. */
  introspectionMax: number;
}

/**
 * Rejects documents that would be costly to validate or to execute. Traverses the document as execution would, merging fields
 * and entering fragments. The number of visited selections is bounded, so that the check itself is.
 *
 * @param variables as the client sent them, because the size of a page may be a variable
 * @returns the cost of the most costly operation
 * @throws GraphQLError
 */
export function checkLimits(
  document: DocumentNode,
  variables: Variables | undefined,
  options: LimitOptions,
): number {
  return new Measure(document, variables ?? {}, options).run();
}

/** Cost of the introspection query of graphql-js with all of its options. */
export function introspectionCost(model: CostModel): number {
  const query = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  const measure = new Measure(parse(query), {}, { model, introspectionMax: Infinity });
  measure.run();
  return measure.introspection;
}

/** Selections on the same object, with the type that they are made on. */
interface SelectedSet {
  set: SelectionSetNode;
  type: GraphQLNamedType | undefined;
}

interface Level {
  depth: number;
  depthMax: number;
  /** Response names from the root. */
  path: readonly string[];
  /** Maximum number of times that the response can contain this level. */
  times: number;
  /** Maximum number of entries of the lists of a connection. */
  page: number;
  introspects: boolean;
}

class Measure {
  readonly #document: DocumentNode;
  readonly #options: LimitOptions;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #given: Variables;
  #variables: Variables = {};
  #tally = new CostTally();
  #visits = 0;
  #repetitions = 0;

  constructor(document: DocumentNode, variables: Variables, options: LimitOptions) {
    this.#document = document;
    this.#given = variables;
    this.#options = options;
  }

  /** Cost of introspection in the last operation. */
  get introspection(): number {
    return this.#tally.introspection;
  }

  run(): number {
    const { definitions } = this.#document;
    for (const definition of definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
    countAliases(this.#document);
    let cost = 0;
    for (const definition of definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION)
        cost = Math.max(cost, this.#measureOperation(definition));
      else if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#measureFragment(definition);
    }
    return cost;
  }

  #measureOperation(definition: OperationDefinitionNode): number {
    const { operation, selectionSet } = definition;
    this.#useDefaults(definition);
    this.#tally = new CostTally();
    const type = this.#options.model.rootOf(operation);
    this.#visit([{ set: selectionSet, type }], rootLevel(documentLimits.depth));
    const isSubscription = operation === OperationTypeNode.SUBSCRIPTION;
    const limit = isSubscription ? documentLimits.eventCost : documentLimits.cost;
    this.#tally.check(limit, this.#options.introspectionMax);
    return this.#tally.cost;
  }

  /** Fragments are validated even if unused. Whether they are part of an introspection is known only where they are spread. */
  #measureFragment({ selectionSet, typeCondition }: FragmentDefinitionNode): void {
    const type = this.#options.model.typeNamed(typeCondition.name.value);
    this.#visit([{ set: selectionSet, type }], rootLevel(documentLimits.introspectionDepth));
  }

  /** Reads the variables that the operation declares: a document can have hundreds of operations, and a request of variables. */
  #useDefaults({ variableDefinitions = [] }: OperationDefinitionNode): void {
    const values = variableDefinitions.map(({ variable: { name }, defaultValue }) => [
      name.value,
      Object.hasOwn(this.#given, name.value)
        ? this.#given[name.value]
        : defaultValue && valueOf(defaultValue, {}),
    ]);
    this.#variables = Object.fromEntries(values) as Variables;
  }

  #visit(sets: readonly SelectedSet[], level: Level): void {
    const fields = new Map<string, SelectedField[]>();
    const spread = new Set<string>();
    for (const set of sets) this.#collect(set, fields, spread);
    if (fields.size > 0 && level.depth > level.depthMax)
      throw refused(
        'query_too_deep',
        `The document is nested more than ${level.depthMax} levels deep.`,
      );
    for (const [name, same] of fields) {
      this.#repetitions += same.length ** 2;
      if (this.#repetitions > documentLimits.repetitions)
        throw refused('query_too_repetitive', 'The document repeats the same fields too often.');
      this.#visitField(name, same, level);
    }
  }

  /** @param same selections of the same response name, which execution merges; on different types, only one of them is executed */
  #visitField(name: string, same: readonly SelectedField[], level: Level): void {
    const { model } = this.#options;
    const path = [...level.path, name];
    const introspects =
      level.introspects || same.some(({ node }) => this.#introspects(node.name.value));
    const sizes = same.map((one) => model.sizesOf(one, this.#variables, level.page));
    const own = level.times * Math.max(...sizes.map((one) => one.own));
    this.#tally.add(own, level.depth > 1 ? level.path : path, introspects);
    const below = same.flatMap((one) => {
      const set = one.node.selectionSet;
      return set ? { set, type: model.typeOf(one) } : [];
    });
    if (below.length === 0) return;
    this.#visit(below, {
      path,
      introspects,
      depth: level.depth + 1,
      depthMax: introspects ? documentLimits.introspectionDepth : level.depthMax,
      times: level.times * Math.max(...sizes.map(({ entries }) => entries)),
      page: Math.max(...sizes.map(({ page }) => page)),
    });
  }

  #introspects(name: string): boolean {
    if (name !== '__schema' && name !== '__type') return false;
    if (this.#options.introspectionMax === 0)
      throw refused('introspection_disabled', 'Introspection is disabled.');
    return true;
  }

  /** CollectFields of the GraphQL specification: groups fields by response name, and enters each fragment once. */
  #collect(
    { set, type }: SelectedSet,
    fields: Map<string, SelectedField[]>,
    spread: Set<string>,
  ): void {
    const { model } = this.#options;
    for (const selection of set.selections) {
      this.#visits += 1;
      if (this.#visits > visitsMax)
        throw refused('query_too_costly', 'The document contains too many fragment spreads.');
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const field = { node: selection, parent: type };
        const same = fields.get(name);
        if (same) same.push(field);
        else fields.set(name, [field]);
        continue;
      }
      let fragment: Pick<FragmentDefinitionNode, 'selectionSet'> & {
        typeCondition?: FragmentDefinitionNode['typeCondition'] | undefined;
      };
      if (selection.kind === Kind.INLINE_FRAGMENT) fragment = selection;
      else {
        const name = selection.name.value;
        const found = spread.has(name) ? undefined : this.#fragments.get(name);
        spread.add(name);
        if (!found) continue;
        fragment = found;
      }
      const on = fragment.typeCondition;
      this.#collect(
        { set: fragment.selectionSet, type: on ? model.typeNamed(on.name.value) : type },
        fields,
        spread,
      );
    }
  }
}

const rootLevel = (depthMax: number): Level => ({
  depthMax,
  depth: 1,
  path: [],
  times: 1,
  page: 1,
  introspects: false,
});

function countAliases(document: DocumentNode): void {
  let aliases = 0;
  const pending: ASTNode[] = [...document.definitions];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.kind === Kind.FIELD && node.alias) aliases += 1;
    if ('selectionSet' in node && node.selectionSet) pending.push(...node.selectionSet.selections);
  }
  if (aliases > documentLimits.aliases)
    throw refused(
      'too_many_aliases',
      `The document has more than ${documentLimits.aliases} aliases.`,
    );
}
