import {
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import { checkLimits, type LimitOptions } from './check-limits.js';
import { documentLimits } from './limits.js';

/** What a document must pass before it is executed, over whatever transport it came. */
export class DocumentChecker {
  readonly #schema: GraphQLSchema;
  readonly #options: LimitOptions;
  /** Documents that are valid. Whoever keeps parsed documents hands in the same one again. */
  readonly #valid = new WeakSet<DocumentNode>();

  constructor(schema: GraphQLSchema, options: LimitOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  /** @throws GraphQLError for text that is no document, or too long */
  parse(query: string): DocumentNode {
    return parse(query, { maxTokens: documentLimits.tokens });
  }

  /** Limits first: validating may take time that grows with the square of a hostile document. */
  checkLimits(
    document: DocumentNode,
    variables: Readonly<Record<string, unknown>> | undefined,
  ): GraphQLError | undefined {
    return checkLimits(document, variables, this.#options);
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    if (this.#valid.has(document)) return [];
    // Suggestions tell names of the schema, which is not to be told where introspection is off.
    const options = { maxErrors: 20, hideSuggestions: !this.#options.introspection };
    const errors = validate(this.#schema, document, specifiedRules, options);
    if (errors.length === 0) this.#valid.add(document);
    return errors;
  }
}
