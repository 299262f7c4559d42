import {
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { NextSlice } from '../../operations/work-turns.js';
import { checkLimits, introspectionCost, type LimitOptions } from './check-limits.js';
import { CostModel, type Variables } from './cost-model.js';
import { documentLimits } from './limits.js';
import { validateInSlices, type ValidationOptions } from './validate-in-slices.js';

/** Checks documents before execution, for every transport. */
export class DocumentChecker {
  readonly #schema: GraphQLSchema;
  readonly #options: LimitOptions;
  readonly #validation: ValidationOptions;
  /** Documents that passed validation. A store of parsed documents passes the same object again. */
  readonly #valid = new WeakSet<DocumentNode>();

  constructor(schema: GraphQLSchema, { introspection }: { introspection: boolean }) {
    this.#schema = schema;
    // Suggestions contain names of the schema, which must not be disclosed while introspection is disabled.
    this.#validation = { maxErrors: 20, hideSuggestions: !introspection };
    const model = new CostModel(schema);
    this.#options = { model, introspectionMax: introspection ? introspectionCost(model) : 0 };
  }

  /** @throws GraphQLError for syntax errors and documents with too many tokens */
  parse(query: string, maxTokens: number = documentLimits.tokens): DocumentNode {
    return parse(query, { maxTokens });
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

  /** Whether the document has passed validation. */
  isValid(document: DocumentNode): boolean {
    return this.#valid.has(document);
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    if (this.isValid(document)) return [];
    return this.#checked(
      document,
      validate(this.#schema, document, specifiedRules, this.#validation),
    );
  }

  /** As `validate`, for large documents: takes several turns of the event loop. */
  async validateInSlices(
    document: DocumentNode,
    nextSlice: NextSlice,
  ): Promise<readonly GraphQLError[]> {
    if (this.isValid(document)) return [];
    return this.#checked(
      document,
      await validateInSlices(this.#schema, document, this.#validation, nextSlice),
    );
  }

  #checked(document: DocumentNode, errors: readonly GraphQLError[]): readonly GraphQLError[] {
    if (errors.length === 0) this.#valid.add(document);
    return errors;
  }
}
