import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'graphql';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { printedSchema, schemaFile } from '../../../graphql/build-schema.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Creates a project inside the gateway's directory, so that packages can be resolved. */
function project(t: ExecutionContext, files: Record<string, string>): string {
  const directory = mkdtempSync(join(dirname(schemaFile), 'dist', 'project-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

test('typed documents of graphql-codegen compile and contain the nullability', async (t) => {
  const document = `
    query Page($first: Int!, $after: String) {
      contacts(first: $first, after: $after) { totalCount pageInfo { endCursor } nodes { id email status createdAt properties } }
      webhooks { id events token }
    }
    mutation Create($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }
    subscription Events { events { __typename id kind ... on ContactEvent { contact { email } } ... on TeamMemberJoinedEvent { user { email } } ... on ImportEndedEvent { import { created } } } }
  `;
  const scalars = {
    DateTime: 'string',
    EmailAddress: 'string',
    JSONObject: 'Record<string, string>',
  };
  const config = { scalars, strictScalars: true, useTypeImports: true };
  const generated = await codegen({
    filename: 'generated.ts',
    schema: parse(printedSchema()),
    documents: [{ location: 'documents.graphql', document: parse(document) }],
    config,
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  });
  const program = `
    import type { ResultOf } from '@graphql-typed-document-node/core';
    import { PageDocument, CreateDocument, EventsDocument } from './generated.js';
    declare const page: ResultOf<typeof PageDocument>;
    export const email: string | undefined = page.contacts?.nodes[0]?.email;
    // @ts-expect-error contacts may be null
    export const nodes = page.contacts.nodes;
    declare const created: ResultOf<typeof CreateDocument>;
    export const id: string = created.createContact.contact.id;
    declare const { events }: ResultOf<typeof EventsDocument>;
    export const from: string | undefined = events.__typename === 'ContactEvent' ? events.contact.email : undefined;
    export const count: number = events.__typename === 'ImportEndedEvent' ? events.import.created : 0;
  `;
  const directory = project(t, { 'generated.ts': generated, 'program.ts': program });
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2024'.split(' ');
  const compiled = run(
    process.execPath,
    [tsc, ...flags, '--ignoreConfig', join(directory, 'program.ts')],
    {
      cwd: directory,
    },
  );
  await t.notThrowsAsync(
    compiled.catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    }),
  );
});

test('relay-compiler compiles pagination, refetching by node, mutations and subscriptions', async (t) => {
  const source = `
    import { graphql } from 'react-relay';
    graphql\`
      fragment ContactList_query on Query
      @refetchable(queryName: "ContactListPaginationQuery")
      @argumentDefinitions(count: { type: "Int", defaultValue: 20 }, cursor: { type: "String" }) {
        contacts(first: $count, after: $cursor) @connection(key: "ContactList_contacts") {
          edges { node { id ...ContactList_contact } }
        }
      }
    \`;
    graphql\`
      fragment ContactList_contact on Contact @refetchable(queryName: "ContactRefetchQuery") { id email tags }
    \`;
    graphql\`
      query ContactListQuery { ...ContactList_query }
    \`;
    graphql\`
      mutation ContactListDeleteMutation($input: DeleteContactInput!, $connections: [ID!]!) {
        deleteContact(input: $input) { deletedId @deleteEdge(connections: $connections) }
      }
    \`;
    graphql\`
      subscription ContactListSubscription { events(kinds: [CONTACT_CREATED]) { id kind } }
    \`;
  `;
  const directory = project(t, {
    'src/ContactList.ts': source,
    'schema.graphql': printedSchema(),
    'src/__generated__/.gitkeep': '',
    'relay.config.json': JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'typescript',
      artifactDirectory: './src/__generated__',
      eagerEsModules: true,
    }),
  });
  const compiler = require.resolve('relay-compiler/cli.js');
  const { stdout, stderr } = await run(process.execPath, [compiler, 'relay.config.json'], {
    cwd: directory,
  });
  t.regex(stdout + stderr, /[Cc]ompil|Done|Created/);
  const artifact = (name: string) =>
    readFileSync(join(directory, 'src/__generated__', `${name}.graphql.ts`), 'utf8');
  t.regex(artifact('ContactListPaginationQuery'), /hasNextPage/);
  t.regex(artifact('ContactRefetchQuery'), /"node"/);
  t.truthy(artifact('ContactListDeleteMutation'));
});
