import {
  type CallInputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  pageMax,
} from '@roster/contracts';

import { type AdminApi, adminApiOf, callAdmin } from './admin-api.js';
import type { Command } from './command-line.js';
import { readLocalConfig } from './config.js';

type CallOverNats = <Name extends OperationName>(
  name: Name,
  input: CallInputOf<Operations[Name]>,
) => Promise<OutputOf<Operations[Name]>>;

/**
 * The commands about workspaces and their users: over HTTP if `ROSTER_ADMIN_URL` is set, otherwise over NATS. What only the interface over
 * HTTP offers requires it. The output is the same.
 *
 * @param call over NATS
 */
export function workspaceCommands(call: CallOverNats): Record<string, Command> {
  return {
    'workspace create': {
      options: ['name', 'owner-email', 'owner-name'],
      async run({ name = '', 'owner-email': ownerEmail = '', 'owner-name': ownerName = '' }) {
        const input = { name, ownerEmail, ownerName };
        const api = adminApi();
        if (!api) return call('workspaces.create', input);
        const created = await callAdmin<OutputOf<Operations['admin-workspaces.create']>>(
          api,
          'POST',
          '',
          input,
        );
        const { workspace, owner, apiKey } = created;
        return { workspaceId: workspace.id, userId: owner.id, apiKey: apiKey.secret };
      },
    },
    'workspace list': {
      options: [],
      optional: ['after'],
      run: async ({ after }) => {
        const api = adminApi();
        return api
          ? callAdmin(api, 'GET', pageOf(after))
          : call('workspaces.list', { limit: pageMax, ...(after !== undefined && { after }) });
      },
    },
    'workspace get': one('GET', ''),
    'workspace rename': {
      options: ['id', 'name'],
      run: async ({ id = '', name = '' }) => callAdmin(required(), 'PUT', pathOf(id), { name }),
    },
    'workspace set-quotas': {
      options: ['id'],
      optional: ['contacts', 'requests-per-day'],
      run: async ({ id = '', contacts, 'requests-per-day': requestsPerDay }) => {
        const quotas = {
          ...(contacts !== undefined && { contacts: quotaOf(contacts) }),
          ...(requestsPerDay !== undefined && { requestsPerDay: quotaOf(requestsPerDay) }),
        };
        return callAdmin(required(), 'PUT', pathOf(id), { quotas });
      },
    },
    'workspace usage': {
      options: ['id'],
      optional: ['from', 'to'],
      run: async ({ id = '', from, to }) =>
        callAdmin(required(), 'GET', `${pathOf(id)}/usage${queryOf({ from, to })}`),
    },
    'workspace suspend': one('POST', '/suspend'),
    'workspace resume': one('POST', '/resume'),
    'workspace delete': one('DELETE', ''),
    'user list': {
      options: ['workspace'],
      optional: ['after'],
      run: async ({ workspace = '', after }) => {
        const api = adminApi();
        return api
          ? callAdmin(api, 'GET', `${pathOf(workspace)}/users${pageOf(after)}`)
          : call('workspaces.users', {
              workspaceId: workspace,
              limit: pageMax,
              ...(after !== undefined && { after }),
            });
      },
    },
  };
}

const one = (method: 'GET' | 'POST' | 'DELETE', path: string): Command => ({
  options: ['id'],
  run: async ({ id = '' }) => callAdmin(required(), method, pathOf(id) + path),
});

const adminApi = (): AdminApi | undefined => adminApiOf(readLocalConfig());

function required(): AdminApi {
  const api = adminApi();
  if (api) return api;
  throw new Error('Set ROSTER_ADMIN_URL and ROSTER_ADMIN_KEY: this command needs an admin key.');
}

/** `none` removes a quota. What is no number is refused by the interface. */
const quotaOf = (text: string): number | string | null =>
  text === 'none' ? null : /^\d+$/.test(text) ? Number(text) : text;

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;

const pageOf = (after: string | undefined): string => queryOf({ limit: String(pageMax), after });

function queryOf(fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
}
