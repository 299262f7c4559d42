import {
  Kind,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionSetNode,
} from 'graphql';
import type { SelectedField } from './field-cost.js';

/** Selections on the same object, with the type that they are made on. */
export interface SelectedSet {
  set: SelectionSetNode;
  type: GraphQLNamedType | undefined;
}

/**
 * CollectFields of the GraphQL specification: groups fields by response name, and enters each fragment once.
 *
 * @param onVisit called for each selection; it may throw
 * @returns also the names of the fragments
 */
export function collectFields(
  sets: readonly SelectedSet[],
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  onVisit: () => void,
): { fields: Map<string, SelectedField[]>; spread: Set<string> } {
  const fields = new Map<string, SelectedField[]>();
  const spread = new Set<string>();
  const collect = ({ set, type }: SelectedSet): void => {
    for (const selection of set.selections) {
      onVisit();
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = fields.get(name);
        if (same) same.push({ node: selection, parent: type });
        else fields.set(name, [{ node: selection, parent: type }]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(setOf(schema, selection, type));
      else {
        const name = selection.name.value;
        const fragment = spread.has(name) ? undefined : fragments.get(name);
        spread.add(name);
        if (fragment) collect(setOf(schema, fragment, type));
      }
    }
  };
  for (const set of sets) collect(set);
  return { fields, spread };
}

/** Selections of a fragment, which is named, or inline: on the type of its parent unless it has a condition. */
export const setOf = (
  schema: GraphQLSchema,
  { selectionSet, typeCondition }: Pick<InlineFragmentNode, 'selectionSet' | 'typeCondition'>,
  parent?: GraphQLNamedType,
): SelectedSet => ({
  set: selectionSet,
  type: typeCondition ? schema.getType(typeCondition.name.value) : parent,
});
