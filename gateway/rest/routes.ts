import type { GatewayConfig } from '../config.js';
import { fixed, type Route } from '../http/routes.js';
import { adminRoutes } from './admin/admin-routes.js';
import { answerOperation, json } from './answer-operation.js';
import { indexRoute } from '../pages/index-page.js';
import { exportLinkRoute } from './exports/export-links.js';
import { docsRoutes } from '../pages/docs/docs-routes.js';
import { openapiDocument } from './openapi/document.js';
import { problemPages } from './problems/problem-pages.js';
import { unsubscribeRoutes } from './unsubscribe/unsubscribe-routes.js';
import { restOperations } from './rest-operations.js';
import type { RestOptions } from './rest-options.js';

/** The routes of all operations in the contracts, and of the documents that describe them. */
export function restRoutes(
  options: RestOptions,
  config: Pick<GatewayConfig, 'SERVICE_NAME'>,
): Route[] {
  const index = {
    service: config.SERVICE_NAME,
    console: '/console',
    docs: '/docs',
    reference: '/v1/openapi.json',
    graphql: '/graphql',
    problems: '/problems',
  };
  const openapi = Buffer.from(JSON.stringify(openapiDocument(config)));
  const routes = restOperations.map((operation) => answerOperation(operation, options));
  return [
    ...routes,
    exportLinkRoute(
      routes.find(({ operation }) => operation === 'contacts.export')!,
      options,
    ),
    ...adminRoutes(options),
    document('/v1/openapi.json', 'openapi', openapi),
    indexRoute(config.SERVICE_NAME, Buffer.from(JSON.stringify(index))),
    ...docsRoutes(config.SERVICE_NAME, openapi),
    ...problemPages(),
    ...unsubscribeRoutes({ ...options, realm: config.SERVICE_NAME }),
  ];
}

const document = (path: string, operation: string, content: Buffer): Route => ({
  methods: ['GET'],
  path,
  operation,
  answer: fixed(json, content),
});
