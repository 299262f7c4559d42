import {
  coerceInputValue,
  GraphQLError,
  isInputType,
  isNonNullType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Variables } from './field-cost.js';
import { errorsMax } from './limits.js';

interface VariableOptions {
  hideSuggestions: boolean;
}

/**
 * Checks the variables of a valid operation as its execution does. Errors of the execution would repeat the whole value of a
 * variable, which can be long and contain secrets, for each of its invalid fields.
 *
 * @returns at most `errorsMax` errors
 */
export function checkVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
  { hideSuggestions }: VariableOptions,
): readonly GraphQLError[] {
  const errors: GraphQLError[] = [];
  const report = (node: VariableDefinitionNode, message: string) => {
    errors.push(new GraphQLError(message, { nodes: node }));
    if (errors.length === errorsMax) throw new TooManyErrors();
  };
  try {
    for (const node of variableDefinitions) {
      const type = typeFromAST(schema, node.type);
      if (!isInputType(type)) continue;
      const name = node.variable.name.value;
      const problem = absence(node, type, variables);
      if (problem) report(node, `Variable "$${name}" of type "${String(type)}" ${problem}.`);
      else if (Object.hasOwn(variables, name))
        coerceInputValue(
          variables[name],
          type,
          (path, _value, { message }) =>
            report(node, `Variable "$${[name, ...path].join('.')}" is invalid: ${message}`),
          hideSuggestions,
        );
    }
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
  }
  return errors;
}

/** Ends the check of a variable: only an exception does. */
class TooManyErrors extends Error {}

function absence(
  { variable: { name }, defaultValue }: VariableDefinitionNode,
  type: GraphQLInputType,
  variables: Variables,
): string | undefined {
  if (!isNonNullType(type)) return undefined;
  if (!Object.hasOwn(variables, name.value)) return defaultValue ? undefined : 'is required';
  return variables[name.value] === null ? 'must not be null' : undefined;
}
