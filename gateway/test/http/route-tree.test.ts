import { Router, type Layer } from '@koa/router';
import test from 'ava';
import { RouteTree } from '../../http/routing/route-tree.js';
import { restOperations } from '../../rest/rest-operations.js';

const paths = [
  ...restOperations.map(({ http }) => http.path.replaceAll(/\{(\w+)\}/g, ':$1')),
  '/',
  '/a/:b',
  '/a/b',
  '/:any/b',
];

function openRouter(): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const path of paths) router.register(path, ['GET'], () => {});
  return router;
}

const pathsOf = (layers: Layer[]): string[] => layers.map(({ path }) => String(path)).toSorted();

/** Each segment is right, wrong, empty or encoded, or has another case. */
const requested = paths
  .flatMap((path) => [path, `${path}/`, `/${path}`, path.toUpperCase(), path.replaceAll('/', '//')])
  .flatMap((path) =>
    ['x', 'b', 'me', 'CONT_1', '%2F', '%zz', 'a:b', ''].map((value) =>
      path.replaceAll(/:\w+/gi, value),
    ),
  );

test('finds the routes that @koa/router matches, for every path', (t) => {
  const router = openRouter();
  const tree = new RouteTree(router.stack);
  for (const path of ['', '*', 'a', '/a/b/c', ...requested])
    t.deepEqual(pathsOf(tree.find(path)), pathsOf(router.match(path, 'GET').path), path);
});

test('finds a route with a literal segment before one with a parameter in its place', (t) => {
  const tree = new RouteTree(openRouter().stack);
  t.deepEqual(
    tree.find('/a/b').map(({ path }) => path),
    ['/a/b', '/a/:b', '/:any/b'],
  );
});
