import { clientMethod, encodeId, resources, type IdKind } from '@roster/contracts';
import type { z } from 'zod';
import type { HttpMethod } from '../../http/routes.js';
import { fieldsOf, type RestOperation } from '../rest-operations.js';
import { requestExamples } from './examples.js';

/** A sample of the extension `x-codeSamples` (Redocly), which viewers of OpenAPI documents show beside an operation. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** A request as the samples write it. */
interface Sample {
  method: string;
  path: string;
  /** JSON, or undefined for a request without a body. */
  body: string | undefined;
  /** Whether the response is a file instead of JSON. */
  isFile: boolean;
  /** Media type of a file that is sent. */
  upload: string | undefined;
}

/** The same request in each language. The address is in the environment variable `ROSTER_URL`, the API key in `ROSTER_KEY`. */
export function codeSamples(
  operation: RestOperation,
  method: HttpMethod = operation.http.method,
): CodeSample[] {
  const { http } = operation;
  const example = fieldsOf(operation).body.length > 0 ? requestExamples[operation.name] : undefined;
  const sample = {
    method,
    path: http.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(exampleOf(operation, field)),
    ),
    body: example && JSON.stringify(example),
    isFile: http.file !== undefined,
    upload: http.upload?.mediaTypes[0],
  };
  return [
    { lang: 'Shell', label: 'curl', source: curl(sample) },
    { lang: 'TypeScript', label: 'Client library', source: clientLibrary(operation, example) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(sample) },
    { lang: 'Python', label: 'Python', source: python(sample) },
    { lang: 'Go', label: 'Go', source: go(sample) },
  ];
}

/** The value of a parameter of a path: an ID, or the example of the contract. */
const exampleOf = ({ input }: RestOperation, field: string): string =>
  exampleIds[field] ?? ((input.shape[field] as z.ZodType).meta()!['examples'] as string[])[0]!;

const exampleIds: Record<string, string> = Object.fromEntries(
  [...Object.entries(resources), ['workspace', { idField: 'workspaceId' }] as const].map(
    ([kind, { idField }]) => [
      idField,
      encodeId(kind as IdKind, '019b2f1e-9c00-7a3d-8f10-2b6a4d8e9f01'),
    ],
  ),
);

const lines = (...parts: (string | false)[]): string =>
  parts.filter((part) => part !== false).join('\n');

const curl = ({ method, path, body, upload }: Sample): string =>
  [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$ROSTER_URL${path}"`,
    '-H "Authorization: Bearer $ROSTER_KEY"',
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${body.replaceAll("'", String.raw`'\''`)}'`]),
    ...(upload === undefined
      ? []
      : [`-H 'Content-Type: ${upload}'`, '--data-binary @contacts.csv']),
  ].join(' \\\n  ');

const library = '@roster/client';

function clientLibrary(operation: RestOperation, example: object | undefined): string {
  const { http, name } = operation;
  const [of, method] = clientMethod(name);
  const parameters = [
    http.upload && "await openAsBlob('contacts.csv')",
    ...fieldsOf(operation).path.map((field) => `'${exampleOf(operation, field)}'`),
    example && JSON.stringify(example),
  ].filter((parameter) => parameter !== undefined);
  const call = `roster.${of}.${method}(${parameters.join(', ')})`;
  return lines(
    http.upload !== undefined && "import { openAsBlob } from 'node:fs';",
    `import { Roster } from '${library}';\n`,
    'const roster = new Roster({',
    '  baseUrl: process.env.ROSTER_URL!,',
    '  apiKey: process.env.ROSTER_KEY!,',
    '});',
    http.file
      ? `for await (const chunk of ${call}) process.stdout.write(chunk);`
      : `console.log(await ${call});`,
  );
}

const typescript = ({ method, path, body, isFile, upload }: Sample): string =>
  lines(
    upload !== undefined && "import { openAsBlob } from 'node:fs';\n",
    `const response = await fetch(process.env.ROSTER_URL + '${path}', {`,
    `  method: '${method}',`,
    '  headers: {',
    '    Authorization: `Bearer ${process.env.ROSTER_KEY}`,',
    body !== undefined && "    'Content-Type': 'application/json',",
    upload !== undefined && `    'Content-Type': '${upload}',`,
    '  },',
    body !== undefined && `  body: JSON.stringify(${body}),`,
    upload !== undefined && "  body: await openAsBlob('contacts.csv'),",
    '});',
    ...(isFile
      ? [
          'if (!response.ok) throw new Error(await response.text());',
          'for await (const chunk of response.body) process.stdout.write(chunk);',
        ]
      : [
          'const result = await response.json();',
          'if (!response.ok) throw new Error(`${result.code}: ${result.detail}`);',
          'console.log(result);',
        ]),
  );

const python = ({ method, path, body, isFile, upload }: Sample): string =>
  lines(
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    os.environ["ROSTER_URL"] + "${path}",`,
    upload === undefined
      ? '    headers={"Authorization": "Bearer " + os.environ["ROSTER_KEY"]},'
      : `    headers={"Authorization": "Bearer " + os.environ["ROSTER_KEY"], "Content-Type": "${upload}"},`,
    upload !== undefined && '    data=open("contacts.csv", "rb"),',
    body !== undefined && `    json=${pythonOf(JSON.parse(body))},`,
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    isFile ? 'print(response.text)' : 'print(response.json())',
  );

/** A value of JSON as a literal of Python. */
function pythonOf(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, entry]) => `${JSON.stringify(name)}: ${pythonOf(entry)}`,
  );
  return `{${entries.join(', ')}}`;
}

const go = ({ method, path, body, upload }: Sample): string =>
  lines(
    'package main',
    '',
    'import (',
    '\t"fmt"',
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    '\t"os"',
    body !== undefined && '\t"strings"',
    ')',
    '',
    'func main() {',
    body !== undefined && `\tbody := strings.NewReader(${JSON.stringify(body)})`,
    upload !== undefined &&
      '\tbody, err := os.Open("contacts.csv")\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    `\trequest, err := http.NewRequest("${method}", os.Getenv("ROSTER_URL")+"${path}", ${body === undefined && upload === undefined ? 'nil' : 'body'})`,
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("ROSTER_KEY"))',
    body !== undefined && '\trequest.Header.Set("Content-Type", "application/json")',
    upload !== undefined && `\trequest.Header.Set("Content-Type", "${upload}")`,
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tresult, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tfmt.Println(response.Status, string(result))',
    '}',
  );
