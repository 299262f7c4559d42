import {
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { checkLimits, introspectionCost } from './check-limits.js';
import { checkVariables } from './check-variables.js';
import type { Variables } from './field-cost.js';
import { documentLimits, errorsMax } from './limits.js';

/** Limits of graphql-js, which checks them as it reads the document. */
export const parseOptions = {
  maxTokens: documentLimits.tokens,
  maxSourceLength: documentLimits.length,
} as const;

/** Checks requests before execution, for every transport. */
export class DocumentChecker {
  readonly #schema: GraphQLSchema;
  readonly #introspectionMax: number;
  readonly #validation: { maxErrors: number; hideSuggestions: boolean };
  /** Documents that passed validation. A store of parsed documents passes the same object again. */
  readonly #valid = new WeakSet<DocumentNode>();

  constructor(schema: GraphQLSchema, { introspection }: { introspection: boolean }) {
    this.#schema = schema;
    // Suggestions contain names of the schema, which must not be disclosed while introspection is disabled.
    // One more says that there are further errors.
    this.#validation = { maxErrors: errorsMax - 1, hideSuggestions: !introspection };
    this.#introspectionMax = introspection ? introspectionCost(schema) : 0;
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
    return checkLimits(this.#schema, document, variables, this.#introspectionMax);
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

  validate(document: DocumentNode): readonly GraphQLError[] {
    if (this.#valid.has(document)) return [];
    const errors = validate(this.#schema, document, specifiedRules, this.#validation);
    if (errors.length === 0) this.#valid.add(document);
    return errors;
  }
}
