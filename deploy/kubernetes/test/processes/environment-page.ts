import { isDeepStrictEqual } from 'node:util';

import { ruleOf } from '@roster/process';

import type { ZodObject, ZodType } from 'zod';

import { schemas, serverNames } from './processes.js';

interface Variable {
  name: string;
  processes: string[];
  cells: string[];
}

const services = serverNames.filter((name) => name !== 'gateway');
/** The sections of variables that several processes read. */
const shared: [title: string, processes: string[]][] = [
  ['Every process', serverNames],
  ['Every service', services],
];

const introduction = `# Environment variables

Processes read their configuration from the environment. An empty value counts as unset. Invalid and missing variables end a process at once with exit code 78 and one line for each: the variable, and the text of the last column. The page is generated from the \`config.ts\` of each process by \`npm run record\`; a test compares the two.
`;

/** `deploy/environment.md`: the variables of all processes, from their configuration schemas. */
export function environmentPage(): string {
  const all = variables();
  const sections = shared.map(([title, processes]) =>
    section(
      title,
      all.filter((variable) => isDeepStrictEqual(variable.processes, processes)),
    ),
  );
  const some = all.filter(
    ({ processes }) =>
      processes.length > 1 && !shared.some(([, names]) => isDeepStrictEqual(names, processes)),
  );
  const single = serverNames.map((server) =>
    section(
      server[0]!.toUpperCase() + server.slice(1),
      all.filter(({ processes }) => isDeepStrictEqual(processes, [server])),
    ),
  );
  return [introduction, ...sections, section('Several processes', some, true), ...single]
    .filter((text) => text !== '')
    .join('\n');
}

function variables(): Variable[] {
  const names = new Set(serverNames.flatMap((server) => Object.keys(schemas[server]!.shape)));
  return [...names].map((name) => {
    const processes = serverNames.filter((server) => name in schemas[server]!.shape);
    const type = (schemas[processes[0]!] as ZodObject).shape[name] as ZodType;
    if (type.description === undefined) throw new Error(`${name} has no description`);
    const cells = [defaultOf(type), unitOf(name), type.description, refusalOf(type)];
    return { name, processes, cells };
  });
}

function section(title: string, variables: readonly Variable[], withProcesses = false): string {
  if (variables.length === 0) return '';
  const heads = [
    ...['Variable', ...(withProcesses ? ['Processes'] : [])],
    ...['Default', 'Unit', 'Meaning', 'A wrong value'],
  ];
  const rows = variables.map(({ name, processes, cells }) => [
    code(name),
    ...(withProcesses ? [processes.join(', ')] : []),
    ...cells,
  ]);
  return [`## ${title}`, '', row(heads), row(heads.map(() => '---')), ...rows.map(row), ''].join(
    '\n',
  );
}

const code = (text: string): string => `\`${text}\``;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function defaultOf(type: ZodType): string {
  const parsed = type.safeParse(undefined);
  if (!parsed.success) return 'required';
  const value = parsed.data as number[] | string | number | boolean | undefined;
  return Array.isArray(value) ? value.join(',') || 'none' : String(value ?? '');
}

const units = {
  _PER_SECOND: '1/s',
  _PER_MINUTE: '1/min',
  _MS: 'ms',
  _SECONDS: 's',
  _DAYS: 'days',
};

function unitOf(name: string): string {
  const known = name.replace(/_M(?:AX|IN)$/, '');
  return Object.entries(units).find(([ending]) => known.endsWith(ending))?.[1] ?? '';
}

/** Texts of which most types refuse one. */
const wrongTexts = ['?', '-1', 'a b'];

/** What a process says of a wrong value. Empty if the type accepts any text. */
function refusalOf(type: ZodType): string {
  const issues = wrongTexts.map((text) => type.safeParse(text).error?.issues[0]);
  const [issue] = issues.filter((one) => one !== undefined);
  // A message about a file ends with its path.
  return ruleOf(type) ?? issue?.message.replace(/: \?$/, '') ?? '';
}
