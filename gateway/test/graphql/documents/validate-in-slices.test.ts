import test from 'ava';
import { getIntrospectionQuery, parse, validate, type DocumentNode } from 'graphql';
import { buildRosterSchema } from '../../../graphql/build-schema.js';
import { DocumentChecker } from '../../../graphql/document/document-checker.js';
import { validateInSlices } from '../../../graphql/document/validate-in-slices.js';
import { hostileDocuments, many } from './hostile-documents.js';

const schema = buildRosterSchema();
const checker = new DocumentChecker(schema, { introspection: true });
const atOnce = async () => {};

const documents: Record<string, string> = {
  ...Object.fromEntries(Object.entries(hostileDocuments).map(([name, [text]]) => [name, text])),
  'the introspection query': getIntrospectionQuery(),
  'one with directives, variables and fragments': `
    query A($n: Int!, $unused: ID, $with: Boolean = true) @skip(if: true) @nothing {
      contacts(first: $n, first: 3, none: 1) @include(if: $with) @include(if: $with) { nodes { ...C @skip(if: $other) } }
      me: contact(id: 4.5) { id(a: { b: 1, b: 2 }) }
      me { id name { first } }
      contacts
    }
    fragment C on Contact @skip { id ... on Webhook { url } tags }
    fragment Unused on Nothing { id }
    query A { me { id } }
    mutation { createContact(input: { emial: "x", tags: ["a", 1] }) { contact { id } } }`,
  'one with a type definition': '"""A description""" type A { a: String } { me { id } }',
  'one with more errors than are reported': `{ ${many(40, (n) => `none${n}: none`)} }`,
};

const parsed = (text: string): DocumentNode | undefined => {
  try {
    return parse(text, { maxTokens: 5000 });
  } catch {
    return undefined;
  }
};

/** Those that the limits refuse are never validated: some take seconds. */
const isWithinLimits = (document: DocumentNode): boolean => {
  try {
    checker.checkLimits(document, {});
    return true;
  } catch {
    return false;
  }
};

for (const [name, text] of Object.entries(documents)) {
  const document = parsed(text);
  if (!document || (name in hostileDocuments && !isWithinLimits(document))) continue;
  for (const hideSuggestions of [false, true]) {
    test(`reports the errors of graphql-js for ${name}, ${hideSuggestions ? 'without' : 'with'} suggestions`, async (t) => {
      const options = { maxErrors: 20, hideSuggestions };
      const expected = validate(schema, document, undefined, options);
      const errors = await validateInSlices(schema, document, options, atOnce);
      t.deepEqual(
        errors.map((error) => error.toJSON()),
        expected.map((error) => error.toJSON()),
      );
    });
  }
}

test('a large document is validated in many slices', async (t) => {
  const text = `{ ${many(240, (n) => `w${n}: webhooks(first: 1) { id url events createdAt }`)} }`;
  const large = parse(text);
  let slices = 0;
  const nextSlice = async () => void (slices += 1);
  t.deepEqual(await checker.validateInSlices(large, nextSlice), []);
  t.true(slices > 10, `${slices} slices`);
  t.true(checker.isValid(large));
});
