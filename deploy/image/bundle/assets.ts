import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Files that the gateway reads and sends (gateway/graphql/graphiql, gateway/rest/docs), found relative to the package's
 * manifest.
 */
const files: Record<string, readonly string[]> = {
  graphiql: ['graphiql.min.js', 'graphiql.min.css'],
  'openapi-explorer': ['dist/browser/openapi-explorer.min.js'],
  'graphql-sse': ['umd/graphql-sse.min.js'],
  react: ['umd/react.production.min.js'],
  'react-dom': ['umd/react-dom.production.min.js'],
};

/**
 * Copies files that cannot be bundled to the path where `require.resolve` of a bundle finds them. Resolves with the
 * manifests of their packages.
 */
export async function copyAssets(root: string, bundles: string): Promise<string[]> {
  const { resolve } = createRequire(join(root, 'gateway/package.json'));
  return Promise.all(
    Object.entries(files).map(async ([name, paths]) => {
      const manifest = resolve(`${name}/package.json`);
      const target = join(bundles, 'node_modules', name);
      for (const path of ['package.json', ...paths])
        await cp(join(dirname(manifest), path), join(target, path));
      return relative(root, manifest);
    }),
  );
}
