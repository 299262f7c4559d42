import {
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { checkLimits, introspectionCost, type LimitOptions } from './check-limits.js';
import { checkVariables } from './check-variables.js';
import { CostModel, type Variables } from './cost-model.js';
import { documentLimits, errorsMax } from './limits.js';

/** Of graphql-js, which checks them as it reads the document. */
export const parseOptions = {
  maxTokens: documentLimits.tokens,
  maxSourceLength: documentLimits.length,
} as const;

/** Checks requests before execution, for every transport. */
export class DocumentChecker {
  readonly #schema: GraphQLSchema;
  readonly #options: LimitOptions;
  readonly #validation: { maxErrors: number; hideSuggestions: boolean };
  /** Documents that passed validation. A store of parsed documents passes the same object again. */
  readonly #valid = new WeakSet<DocumentNode>();

  constructor(schema: GraphQLSchema, { introspection }: { introspection: boolean }) {
    this.#schema = schema;
    // Suggestions contain names of the schema, which must not be disclosed while introspection is disabled.
    // One more says that there are further errors.
    this.#validation = { maxErrors: errorsMax - 1, hideSuggestions: !introspection };
    const model = new CostModel(schema);
    this.#options = { model, introspectionMax: introspection ? introspectionCost(model) : 0 };
  }

  /** @throws GraphQLError for syntax errors and documents that are too long */
  parse(query: string, maxTokens: number = documentLimits.tokens): DocumentNode {
    return parse(query, { ...parseOptions, maxTokens });
  }

  /**
   * Called before `validate`, which can take time quadratic in the size of a hostile document.
   *
   * @returns the cost of the document
   * @throws GraphQLError
   */
  checkLimits(document: DocumentNode, variables: Variables | undefined): number {
    return checkLimits(document, variables, this.#options);
  }

  /**
   * Called before execution.
   *
   * @param operation of a valid document
   */
  checkVariables(
    operation: OperationDefinitionNode,
    variables: Variables | undefined,
  ): readonly GraphQLError[] {
    return checkVariables(this.#schema, operation, variables ?? {}, this.#validation);
  }

  /** Whether the document has passed validation. */
  isValid(document: DocumentNode): boolean {
    return this.#valid.has(document);
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    if (this.isValid(document)) return [];
    const errors = validate(this.#schema, document, specifiedRules, this.#validation);
    if (errors.length === 0) this.#valid.add(document);
    return errors;
  }
}
