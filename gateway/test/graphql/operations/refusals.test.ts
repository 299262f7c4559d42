import test from 'ava';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { schemaFile } from '../../../graphql/build-schema.js';
import { problemTypes } from '../../../rest/problems/problem-types.js';
import { bearer, sharedGateway } from '../../test-gateway.js';
import { executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

const schema = buildSchema(readFileSync(schemaFile, 'utf8'));
const mutations = Object.values(schema.getMutationType()!.getFields());

const samples: Record<string, unknown> = {
  Boolean: true,
  DateTime: '2026-01-31T09:00:00Z',
  Int: 1,
  JSONObject: {},
  ContactChange: {},
  ContactFilter: {},
};

/** A value that the type accepts, although the operation may not. */
function sampleOf(type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [sampleOf(nullable.ofType)];
  if (isEnumType(nullable)) return nullable.getValues()[0]!.name;
  return samples[getNamedType(type).name] ?? '';
}

for (const { name, args, type } of mutations) {
  const inputType = getNamedType(args.find((one) => one.name === 'input')?.type) as
    | GraphQLInputObjectType
    | undefined;
  const required = Object.values(inputType?.getFields() ?? {}).filter((field) =>
    isNonNullType(field.type),
  );
  const input = Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]));
  const document = inputType
    ? `mutation ($input: ${inputType.name}!) { ${name}(input: $input) { __typename } }`
    : `mutation { ${name} { __typename } }`;

  test(`${name} is refused in errors, with a code and its path, and its payload has no errors`, async (t) => {
    t.false('userErrors' in (getNamedType(type) as GraphQLObjectType).getFields());
    const { apiKey } = gateway().stubs.makeKey({ scopes: [] });
    const { data, errors } = await execute(document, inputType && { input }, bearer(apiKey));
    t.is(data, null);
    t.like(errors, { length: 1 });
    t.deepEqual(errors![0]!.path, [name]);
    t.is(errors![0]!.extensions.code, 'insufficient_scope');

    const allowed = await execute(document, inputType && { input });
    for (const { extensions } of allowed.errors ?? []) {
      t.true(extensions.code in problemTypes, extensions.code);
      for (const { pointer } of extensions.errors ?? [])
        t.truthy(inputType!.getFields()[pointer.split('/')[1]!], pointer);
    }
  });
}
