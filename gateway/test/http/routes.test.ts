import test from 'ava';
import { type Route, Routes } from '../../http/routes.js';
import { methodsOf, restOperations } from '../../rest/rest-operations.js';

const paths = [...restOperations.map(({ http }) => http.path), '/', '/a/{b}', '/a/b', '/{any}/b'];

const routes = new Routes(
  [...new Set(paths)].map((path): Route => ({
    methods: ['GET'],
    path,
    operation: path,
    answer() {},
  })),
);

/** The paths that match, by comparing each segment. */
function matching(requested: string): string[] {
  const segments = requested.split('/');
  return paths.filter((path) => {
    const own = path.split('/');
    return (
      own.length === segments.length &&
      own.every((segment, index) =>
        segment.startsWith('{') ? segments[index] !== '' : segment === segments[index],
      )
    );
  });
}

/** Each segment is right, wrong, empty or encoded, or has another case. */
const requested = paths
  .flatMap((path) => [path, `${path}/`, `/${path}`, path.toUpperCase(), path.replaceAll('/', '//')])
  .flatMap((path) =>
    ['x', 'b', 'me', 'CONT_1', '%2F', 'a:b', '', 'x'.repeat(8_000)].map((value) =>
      path.replaceAll(/\{\w+\}/gi, value),
    ),
  );

test('finds a route for the paths that match one exactly, and for no others', (t) => {
  for (const path of ['/*', '/a/b/c', ...requested]) {
    const found = routes.find('GET', path)?.route.path;
    const expected = matching(path);
    if (expected.length === 0) t.is(found, undefined, path);
    else t.true(expected.includes(found!), path);
  }
});

test('finds a route with a literal segment before one with a parameter in its place', (t) => {
  t.is(routes.find('GET', '/a/b')?.route.path, '/a/b');
  t.is(routes.find('GET', '/a/c')?.route.path, '/a/{b}');
  t.is(routes.find('GET', '/c/b')?.route.path, '/{any}/b');
});

test('decodes parameters that are not malformed, and ignores the query', (t) => {
  t.deepEqual({ ...routes.find('GET', '/a/x%2Fy?b=c')?.params }, { b: 'x/y' });
  for (const malformed of ['%zz', '%ff', '%41%'])
    t.deepEqual({ ...routes.find('GET', `/a/${malformed}`)?.params }, { b: malformed });
});

test('finds the operation of every method of every path', (t) => {
  const all = new Routes(
    restOperations.map((operation) => ({
      methods: methodsOf(operation),
      path: operation.http.path,
      operation: operation.name,
      answer() {},
    })),
  );
  for (const operation of restOperations)
    for (const method of methodsOf(operation))
      t.is(all.find(method, operation.http.path)?.route.operation, operation.name);
});
