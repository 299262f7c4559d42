/** Operations by path template and by method in lower case. */
export type PathItems = Record<string, Record<string, { operationId?: string }>>;

/** An operation of the document with its JSON Pointer, or the status of requests that are none. */
export type FoundOperation =
  | { name: string; pointer: string }
  | { name: string; status: 404 | 405 };

/** The operation that a request calls. That of a path without parameters, if there is one. */
export function findOperation(paths: PathItems, method: string, path: string): FoundOperation {
  const matching = Object.keys(paths).filter((template) => patternOf(template).test(path));
  const templates = matching.includes(path) ? [path] : matching;
  const key = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  const template = templates.find((one) => key in paths[one]!);
  if (template === undefined)
    return { name: `${method} ${path}`, status: templates.length === 0 ? 404 : 405 };
  return {
    name: paths[template]![key]!.operationId ?? `${method} ${template}`,
    pointer: `/paths/${template.replaceAll('/', '~1')}/${key}`,
  };
}

/** Templates have no characters that are special in patterns, besides the braces of parameters. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
