import { GraphQLDateTime, GraphQLEmailAddress, GraphQLJSONObject } from 'graphql-scalars';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** A point in time, as the services write it: there is nothing to convert. */
export const DateTime = new GraphQLScalarType<string, string>({
  ...GraphQLDateTime.toConfig(),
  description: 'A timestamp in UTC (ISO 8601, RFC 3339), such as `2026-01-31T09:00:00.000Z`.',
  serialize: String,
  parseValue: text('DateTime'),
  parseLiteral: textOf('DateTime'),
});

/**
 * Checked by the contract, as in REST, so that both take the same addresses and say the same of wrong ones; the scalar's
 * own rule knows no letters beyond ASCII.
 */
export const EmailAddress = new GraphQLScalarType<string, string>({
  ...GraphQLEmailAddress.toConfig(),
  specifiedByURL: null,
  description: 'An email address of at most 254 bytes. International characters are allowed.',
  serialize: String,
  parseValue: text('EmailAddress'),
  parseLiteral: textOf('EmailAddress'),
});

export const JSONObject = GraphQLJSONObject;

function text(name: string) {
  return (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} must be a string.`);
  };
}

function textOf(name: string) {
  return (node: ValueNode): string => {
    if (node.kind === Kind.STRING) return node.value;
    throw new GraphQLError(`${name} must be a string.`);
  };
}
