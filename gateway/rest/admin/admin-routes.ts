import { Fault } from '@roster/contracts';
import { bearerIn } from '../../http/callers/authenticate.js';
import { clientAddress } from '../../http/connections/trusted-proxies.js';
import type { HttpContext } from '../../http/exchange.js';
import { sendCompressed } from '../../http/response/send-compressed.js';
import type { Route } from '../../http/routes.js';
import { InvalidKey } from '../../operations/key-verification.js';
import { json } from '../answer-operation.js';
import { pageLinksOf } from '../page-links.js';
import { inputReader } from '../read-input.js';
import type { RestOptions } from '../rest-options.js';
import { adminOperations, type AdminOperation } from './admin-operations.js';

type AdminOptions = Pick<RestOptions, 'admin' | 'failedAdmins' | 'proxies'>;

/** The routes that administer workspaces. Without an admin key in the configuration, they are answered as paths that do not exist. */
export const adminRoutes = (options: AdminOptions): Route[] =>
  adminOperations.map((operation) => adminRoute(operation, options));

function adminRoute({ operation, shown }: AdminOperation, options: AdminOptions): Route {
  const { admin, proxies } = options;
  const { method, path, status } = shown.http;
  const readRequest = inputReader(shown);
  const linksOf = pageLinksOf(shown);
  return {
    methods: [method],
    path,
    operation: operation.name,
    async answer(ctx) {
      const { req, state } = ctx;
      const address = clientAddress(proxies, req);
      const adminKey = await authenticateAdmin(ctx, address, options);
      if (req.headers['idempotency-key'] !== undefined)
        throw new Fault('invalid', 'This operation does not take the Idempotency-Key header.');
      const errors: Parameters<typeof readRequest>[1] = [];
      const input = await readRequest(ctx, errors);
      if (Object.hasOwn(input, 'adminKey'))
        errors.push({ pointer: '/adminKey', message: 'is not a known field' });
      const { requestId, traceparent } = state;
      const origin = { requestId, traceparent, address };
      const result = await admin.callRaw(operation, { ...input, adminKey }, errors, origin);
      const links = linksOf?.(req.url!, result);
      if (links !== undefined) state.headers['Link'] = links;
      if (status === 201) state.headers['Location'] = `${path}/${createdId(result)}`;
      state.containsSecret = operation.containsSecret ?? false;
      return sendCompressed(ctx, status, json, result);
    },
  };
}

/** @throws InvalidKey; Fault `not_found` if no key is configured, `rate_limited`; faults of the bus */
async function authenticateAdmin(
  { req, state }: HttpContext,
  address: string,
  { admin, failedAdmins }: AdminOptions,
): Promise<string> {
  failedAdmins.check(req);
  const { requestId, traceparent } = state;
  const origin = { requestId, traceparent, address };
  try {
    const adminKey = await admin.verify(bearerIn(req.headers.authorization) ?? '', origin);
    if (adminKey !== undefined) return adminKey;
  } catch (error) {
    if (error instanceof InvalidKey) failedAdmins.count(req);
    throw error;
  }
  throw new Fault('not_found', 'No such path.');
}

const createdId = (result: Uint8Array): string => {
  const { workspace } = JSON.parse(Buffer.from(result).toString()) as { workspace: { id: string } };
  return workspace.id;
};
