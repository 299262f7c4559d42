import {
  getEnterLeaveForKind,
  GraphQLError,
  specifiedRules,
  TypeInfo,
  ValidationContext,
  visit,
  visitInParallel,
  visitWithTypeInfo,
  type ASTNode,
  type ASTVisitFn,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { NextSlice } from '../../operations/work-turns.js';

/** Visits that take a third of a millisecond with all rules. */
const sliceVisits = 400;

export interface ValidationOptions {
  maxErrors: number;
  hideSuggestions: boolean;
}

/** `validate` of graphql-js with its specified rules, in slices. */
export async function validateInSlices(
  schema: GraphQLSchema,
  document: DocumentNode,
  { maxErrors, hideSuggestions }: ValidationOptions,
  nextSlice: NextSlice,
): Promise<readonly GraphQLError[]> {
  const errors: GraphQLError[] = [];
  const report = (error: GraphQLError) => {
    if (errors.length === maxErrors) throw tooMany;
    errors.push(error);
  };
  const typeInfo = new TypeInfo(schema);
  const context = new ValidationContext(schema, document, typeInfo, report, hideSuggestions);
  const visitors = visitInParallel(specifiedRules.map((rule) => rule(context)));
  const visitor = visitWithTypeInfo(typeInfo, visitors);
  await nextSlice();
  const visits = visitsOf(document);
  try {
    for (const [at, { isLeaving, args }] of visits.entries()) {
      if (at % sliceVisits === 0) await nextSlice();
      const { enter, leave } = getEnterLeaveForKind(visitor, args[0].kind);
      (isLeaving ? leave : enter)?.(...args);
    }
  } catch (error) {
    // Rules throw an error of their own if a document takes too long.
    if (!(error instanceof GraphQLError)) throw error;
    errors.push(error);
  }
  return errors;
}

const tooMany = new GraphQLError(
  'Too many validation errors, error limit reached. Validation aborted.',
);

/** No rule reads it. */
const noPath: readonly (string | number)[] = [];

interface Visit {
  isLeaving: boolean;
  args: Parameters<ASTVisitFn<ASTNode>>;
}

/** The visits of graphql-js, in their order: `visit` itself cannot be interrupted. */
function visitsOf(document: DocumentNode): Visit[] {
  const visits: Visit[] = [];
  const entered: Visit[] = [];
  /** By parent: nodes with the same one share a copy, since a document has thousands of nodes. */
  const copies = new Map<unknown, readonly (ASTNode | readonly ASTNode[])[]>();
  visit(document, {
    enter(node, key, parent, _path, ancestors) {
      // Does not affect validation.
      if (key === 'description') return false;
      let above = copies.get(parent);
      if (!above) copies.set(parent, (above = [...ancestors]));
      const one: Visit = { isLeaving: false, args: [node, key, parent, noPath, above] };
      visits.push(one);
      entered.push(one);
      return undefined;
    },
    leave() {
      const { args } = entered.pop()!;
      visits.push({ isLeaving: true, args });
    },
  });
  return visits;
}
