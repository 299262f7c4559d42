import { adminOperations, adminTag } from '../admin/admin-operations.js';
import { codeSamples } from './code-samples.js';
import { describeOperation, operationSchemas } from './operation.js';
import type { Schema } from './schemas.js';

/** The part of the document about operations that require an admin key, which has a security scheme of its own. */
export const adminSection = {
  tag: {
    name: adminTag,
    description:
      'Workspaces, for the operator of the installation. Requires an admin key; answered 404 unless one is configured.',
  },
  securityScheme: {
    adminKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'rak_…',
      description:
        'An admin key, of the operator of the installation. It belongs to no workspace, and reads no contacts.',
    },
  },
  schemas: (): Record<string, Schema> =>
    Object.assign({}, ...adminOperations.map(({ shown }) => operationSchemas(shown))),
};

/** Adds the paths. */
export function addAdminPaths(paths: Record<string, Record<string, object>>): void {
  for (const { shown } of adminOperations) {
    const { method, path } = shown.http;
    const described = describeOperation(shown, method) as Described;
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        ...described,
        description: 'Requires an admin key.',
        security: [{ adminKey: [] }],
        responses: withoutScopes(described.responses),
        'x-codeSamples': codeSamples(shown)
          .filter(({ label }) => label !== 'Client library')
          .map((sample) => ({
            ...sample,
            source: sample.source.replaceAll('ROSTER_KEY', 'ROSTER_ADMIN_KEY'),
          })),
      },
    };
  }
}

/** The requests are not counted against rate limits, and admin keys have no scopes. */
function withoutScopes(responses: Record<string, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status !== '403')
      .map(([status, response]) => {
        if (!('headers' in response)) return [status, response];
        const headers = Object.entries(response.headers as object);
        const kept = headers.filter(([name]) => !name.startsWith('RateLimit'));
        return [status, { ...response, headers: Object.fromEntries(kept) }];
      }),
  );
}

interface Described {
  responses: Record<string, object>;
}
