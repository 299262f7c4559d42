import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import test from 'ava';
import {
  Kind,
  parse,
  print,
  separateOperations,
  stripIgnoredCharacters,
  type DocumentNode,
} from 'graphql';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { printedSchema } from '../../graphql/build-schema.js';

const source = join(import.meta.dirname, '../../../../pages/console/src');

// `npm run record` writes the files, so that a build needs no generator.
test('the documents of the console and their types are those of the schema', async (t) => {
  const schema = parse(printedSchema());
  const files = globSync('**/*.graphql', { cwd: source }).toSorted();
  t.true(files.length > 0);
  for (const file of files) {
    const document = parse(readFileSync(join(source, file), 'utf8'));
    const text = await emit(schema, document, file);
    const target = join(source, `${file}.ts`);
    if (process.env['RECORD']) writeFileSync(target, text);
    t.is(readFileSync(target, 'utf8'), text, `${file}: run \`npm run record\``);
  }
});

/** The generator declares it also where no result is deferred. */
const incremental = /^\/\*\* Internal type.*\nexport type Incremental<T>.*\n/m;

/** Types of the operations and fragments, and each operation as a text, which needs no parser in the browser. */
async function emit(schema: DocumentNode, document: DocumentNode, file: string): Promise<string> {
  const types = await codegen({
    filename: file,
    schema,
    documents: [{ location: file, document }],
    config: {
      skipTypename: true,
      useTypeImports: true,
      strictScalars: true,
      scalars: {
        DateTime: 'string',
        EmailAddress: 'string',
        JSONObject: 'Record<string, unknown>',
      },
    },
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
  });
  const operations = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ name, operation }) => {
      const text = stripIgnoredCharacters(print(separateOperations(document)[name!.value]!));
      const type = `${name!.value}${operation[0]!.toUpperCase()}${operation.slice(1)}`;
      return `export const ${name!.value} = '${text.replaceAll("'", "\\'")}' as Document<${type}, ${type}Variables>;`;
    });
  const graphql = relative(dirname(file), 'data/graphql.js');
  return [
    `// Generated from ${basename(file)} by \`npm run record\`.`,
    `import type { Document } from '${graphql.startsWith('.') ? graphql : `./${graphql}`}';`,
    types.replace(incremental, '').trim(),
    ...operations,
    '',
  ].join('\n\n');
}
