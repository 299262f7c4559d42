import { GraphQLDateTime, GraphQLEmailAddress, GraphQLJSONObject } from 'graphql-scalars';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** Timestamps are strings in the contracts, and need no conversion. */
export const DateTime = new GraphQLScalarType<string, string>({
  ...GraphQLDateTime.toConfig(),
  description:
    'A timestamp in UTC (ISO 8601, RFC 3339), such as `2026-01-31T09:00:00.000Z`. Inputs may have any offset and are converted to UTC.',
  serialize: String,
  parseValue: parseString('DateTime'),
  parseLiteral: parseStringLiteral('DateTime'),
});

/**
 * Validated by the contract, so that REST and GraphQL accept the same addresses with the same error messages. The validation of
 * the original scalar accepts only ASCII.
 */
export const EmailAddress = new GraphQLScalarType<string, string>({
  ...GraphQLEmailAddress.toConfig(),
  specifiedByURL: null,
  description:
    'An email address of at most 254 bytes, with at most 64 characters before the @. International characters are allowed.',
  serialize: String,
  parseValue: parseString('EmailAddress'),
  parseLiteral: parseStringLiteral('EmailAddress'),
});

export const JSONObject = GraphQLJSONObject;

function parseString(name: string) {
  return (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} must be a string.`);
  };
}

function parseStringLiteral(name: string) {
  return (node: ValueNode): string => {
    if (node.kind === Kind.STRING) return node.value;
    throw new GraphQLError(`${name} must be a string.`);
  };
}
