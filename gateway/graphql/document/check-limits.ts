import {
  getIntrospectionQuery,
  Kind,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { refused, shorten } from '../errors.js';
import { collectFields, setOf, type SelectedSet } from './collect-fields.js';
import { sizesOf, typeOf, valueOf, type SelectedField, type Variables } from './field-cost.js';
import { documentLimits } from './limits.js';

/** Maximum number of selections visited in all operations and fragments of a document together. */
const visitsMax = 20_000;
/** How many pairs of fields take the validation as long as a pair of fragments. */
const fragmentWeight = 5;

/**
 * Rejects documents that would be costly to validate or to execute. Traverses the document as execution would, merging fields
 * and entering fragments. The number of visited selections is bounded, so that the check itself is.
 *
 * @param variables as the client sent them, because the size of a page may be a variable
 * @param introspectionMax maximum cost of introspection; 0 if it is disabled
 * @returns the cost of the most costly operation
 * @throws GraphQLError
 */
export function checkLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables = {},
  introspectionMax = 0,
): number {
  return new Measure(schema, document, variables, introspectionMax).run();
}

/** Cost of the introspection query of graphql-js with all of its options. */
export function introspectionCost(schema: GraphQLSchema): number {
  const query = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  const measure = new Measure(schema, parse(query), {}, Infinity);
  measure.run();
  return measure.introspection;
}

interface Level {
  depth: number;
  /** Response names from the root. */
  path: readonly string[];
  /** Maximum number of times that the response can contain this level. */
  times: number;
  /** Maximum number of entries of the lists of a connection. */
  page: number;
  introspects: boolean;
}

const root: Level = { depth: 1, path: [], times: 1, page: 1, introspects: false };

class Measure {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #given: Variables;
  readonly #introspectionMax: number;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #variables: Variables = {};
  #visits = 0;
  #repetitions = 0;
  #cost = 0;
  /** The field that costs most: that of a list or object, or the object of the most costly values. */
  #most = { path: [] as readonly string[], cost: 0 };
  /** Cost of introspection in the last operation. */
  introspection = 0;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    variables: Variables,
    introspectionMax: number,
  ) {
    this.#schema = schema;
    this.#document = document;
    this.#given = variables;
    this.#introspectionMax = introspectionMax;
  }

  run(): number {
    const { definitions } = this.#document;
    for (const definition of definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    let cost = 0;
    for (const definition of definitions) {
      // Unused fragments are validated, too. Whether a fragment is part of an introspection is known only where it is spread.
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#visit([setOf(this.#schema, definition)], { ...root, introspects: true });
      else if (definition.kind === Kind.OPERATION_DEFINITION)
        cost = Math.max(cost, this.#measureOperation(definition));
    }
    return cost;
  }

  #measureOperation(definition: OperationDefinitionNode): number {
    const { operation, selectionSet } = definition;
    this.#variables = declaredVariables(definition, this.#given);
    this.#cost = 0;
    this.#most = { path: [], cost: 0 };
    this.introspection = 0;
    const type = this.#schema.getRootType(operation) ?? undefined;
    this.#visit([{ set: selectionSet, type }], root);
    const isSubscription = operation === OperationTypeNode.SUBSCRIPTION;
    const limit = isSubscription ? documentLimits.eventCost : documentLimits.cost;
    const cost = Math.ceil(Math.round(this.#cost * 10) / 10);
    if (cost > limit) throw tooCostly(cost, limit, this.#most.path, isSubscription);
    if (this.introspection > this.#introspectionMax)
      throw refused(
        'query_too_costly',
        'The document introspects more than the standard introspection query.',
      );
    return cost;
  }

  #visit(sets: readonly SelectedSet[], level: Level): void {
    const { fields, spread } = collectFields(sets, this.#schema, this.#fragments, () =>
      this.#countVisit(),
    );
    const depthMax = level.introspects ? documentLimits.introspectionDepth : documentLimits.depth;
    if (fields.size > 0 && level.depth > depthMax)
      throw refused('query_too_deep', `The document is nested more than ${depthMax} levels deep.`);
    this.#repeat(fragmentWeight * spread.size ** 2);
    let values = 0;
    for (const [name, same] of fields) {
      this.#repeat(same.length ** 2);
      values += this.#visitField(name, same, level);
    }
    if (level.depth > 1) this.#compare(level.path, values);
  }

  /**
   * @param same selections of the same response name, which execution merges; on different types, only one of them is executed
   * @returns the cost of a value, which counts for its object
   */
  #visitField(name: string, same: readonly SelectedField[], level: Level): number {
    const schema = this.#schema;
    const path = [...level.path, name];
    const introspects =
      level.introspects || same.some(({ node }) => this.#introspects(node.name.value));
    const sizes = same.map((one) => sizesOf(schema, one, this.#variables, level.page));
    const own = level.times * Math.max(...sizes.map((one) => one.own));
    if (introspects) this.introspection += own;
    else this.#cost += own;
    const below = same.flatMap((one) => {
      const set = one.node.selectionSet;
      return set ? { set, type: typeOf(schema, one) } : [];
    });
    if (!introspects && (below.length > 0 || level.depth === 1)) this.#compare(path, own);
    if (below.length === 0) return introspects ? 0 : own;
    this.#visit(below, {
      path,
      introspects,
      depth: level.depth + 1,
      times: level.times * Math.max(...sizes.map(({ entries }) => entries)),
      page: Math.max(...sizes.map(({ page }) => page)),
    });
    return 0;
  }

  /** @param pairs of fields or fragments that the validation compares */
  #repeat(pairs: number): void {
    this.#repetitions += pairs;
    if (this.#repetitions > documentLimits.repetitions)
      throw refused(
        'query_too_repetitive',
        'The document repeats the same fields too often, or has too many fragments on one object.',
      );
  }

  #compare(path: readonly string[], cost: number): void {
    if (cost > this.#most.cost) this.#most = { path, cost };
  }

  #introspects(name: string): boolean {
    if (name !== '__schema' && name !== '__type') return false;
    if (this.#introspectionMax === 0)
      throw refused('introspection_disabled', 'Introspection is disabled.');
    return true;
  }

  #countVisit(): void {
    this.#visits += 1;
    if (this.#visits > visitsMax)
      throw refused('query_too_costly', 'The document contains too many fragment spreads.');
  }
}

/** Only the variables that the operation declares: a document can have hundreds of operations, and a request of variables. */
function declaredVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
): Variables {
  const values = variableDefinitions.map(({ variable: { name }, defaultValue }) => [
    name.value,
    Object.hasOwn(given, name.value)
      ? given[name.value]
      : defaultValue && valueOf(defaultValue, {}),
  ]);
  return Object.fromEntries(values) as Variables;
}

/** @param path of the field that costs most */
function tooCostly(
  measured: number,
  limit: number,
  path: readonly string[],
  isSubscription: boolean,
): GraphQLError {
  const cost = Math.min(measured, Number.MAX_SAFE_INTEGER);
  const field = shorten(path.join('.'));
  const what = isSubscription ? 'Each event' : 'The document';
  const message =
    `${what} costs ${cost.toLocaleString('en-US')}; the limit is ${limit.toLocaleString('en-US')}. ` +
    `The field that costs most is \`${field}\`. Request fewer fields, or shorter lists with \`first\` or \`last\`.`;
  return refused('query_too_costly', message, { cost, limit, field });
}
