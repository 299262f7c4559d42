/** Settings of a PostgreSQL that logs every statement with its role and its parameters. */
export const recordingSettings = {
  log_statement: 'all',
  log_line_prefix: '@%u@%p@',
  log_parameter_max_length: '-1',
  // Parameters are in the details of an entry.
  log_error_verbosity: 'default',
};

export interface RecordedStatement {
  role: string;
  /** Undefined if it was not prepared under a name. */
  label: string | undefined;
  text: string;
  /** As PostgreSQL prints them. */
  values: (string | null)[];
}

/** The statements in the log of a server with `recordingSettings`. */
export function recordedStatements(lines: readonly string[]): RecordedStatement[] {
  const recorded: RecordedStatement[] = [];
  const last = new Map<string, RecordedStatement>();
  for (const { role, process, text } of entriesOf(lines)) {
    const [, name, statement] = /^LOG: {2}(?:execute ([^:]*)|statement): (.*)$/s.exec(text) ?? [];
    if (statement !== undefined) {
      const made = { role, label: labelOf(name), text: statement, values: [] };
      recorded.push(made);
      last.set(process, made);
    }
    const [, parameters] = /^DETAIL: {2}parameters: (.*)$/is.exec(text) ?? [];
    const of = last.get(process);
    if (parameters !== undefined && of) of.values = valuesIn(parameters);
  }
  return recorded;
}

/** The label in a name of `preparedName`. */
const labelOf = (name = ''): string | undefined => /^(.+)-[0-9a-f]{12}$/.exec(name)?.[1];

/** Further lines of an entry begin with a tab. */
function entriesOf(lines: readonly string[]) {
  const entries: { role: string; process: string; text: string }[] = [];
  for (const line of lines) {
    const [, role = '', process = '', text = ''] = /^@([^@]*)@(\d+)@(.*)$/s.exec(line) ?? [];
    if (process !== '') entries.push({ role, process, text });
    else if (line.startsWith('\t') && entries.length > 0)
      entries.at(-1)!.text += `\n${line.slice(1)}`;
  }
  return entries;
}

const valuesIn = (parameters: string): (string | null)[] =>
  [...parameters.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)')/g)].map(([, value]) =>
    value === undefined ? null : value.replaceAll("''", "'"),
  );
