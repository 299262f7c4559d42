import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, type Bus } from '@roster/bus';
import { operations, resources, type Operation } from '@roster/contracts';
import { callAsSystem, eventually } from '@roster/testing';
import { Client } from '../client.js';
import { seedFileOf, type RunningRoster } from '../running-roster.js';
import { withoutUse } from './key-rules.js';
import type { Answer, ApiKey, Beginnings, Request } from './workspace-state.js';

/** A connection for the operations that only the command line calls. */
export const connectOperator = (roster: RunningRoster): Promise<Bus> => {
  const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  const credentials = { nkeySeedFile: seedFileOf(roster, 'operator') };
  return connectBus({ servers: roster.natsUrl, credentials, name: 'operator', log });
};

/** The clients of the users of one new workspace. */
export class WorkspaceClient {
  readonly #roster: RunningRoster;
  /** Whether every write has an Idempotency-Key, so that it can be repeated after an unknown outcome. */
  readonly #repeatable: boolean;
  readonly #users: { userId: string; apiKey: string }[] = [];

  private constructor(roster: RunningRoster, repeatable: boolean) {
    this.#roster = roster;
    this.#repeatable = repeatable;
  }

  static async open(
    roster: RunningRoster,
    operator: Bus,
    repeatable: boolean,
  ): Promise<WorkspaceClient> {
    const client = new WorkspaceClient(roster, repeatable);
    const owner = { ownerEmail: 'owner@example.com', ownerName: 'Owner' };
    const { apiKey, userId } = await untilAnswered(() =>
      operator.call('workspaces.create', { name: 'Model', ...owner }, callAsSystem()),
    );
    client.#users.push({ userId, apiKey });
    const body = { email: 'member@example.com', name: 'Member' };
    const answer = await client.send({
      operation: 'users.create',
      user: 0,
      idempotencyKey: randomUUID(),
      body,
    });
    if (answer.status !== 201)
      throw new Error(`A user cannot be created: ${answer.status} ${JSON.stringify(answer.body)}`);
    const member = (answer.body['user'] as { id: string }).id;
    client.#users.push({ userId: member, apiKey: '' });
    const scopes = ['api_user', 'user'] as const;
    const key = await untilAnswered(() =>
      operator.call('keys.create', { userId: member, scopes: [...scopes] }, callAsSystem()),
    );
    client.#users[1]!.apiKey = key.apiKey;
    return client;
  }

  /** The state of the workspace before the first command. */
  async beginnings(): Promise<Beginnings> {
    const { body } = await this.send({ operation: 'api-keys.list', user: 0 });
    return {
      users: this.#users.map(({ userId }) => userId),
      apiKeys: (body['apiKeys'] as ApiKey[]).map(withoutUse),
      repeatsWrites: this.#repeatable,
    };
  }

  send({ user, ...request }: Request): Promise<Answer> {
    return this.sendAs(this.#users[user]!.apiKey, request);
  }

  /**
   * Sends a request with the secret of a key, or with a token. Repeats it while a service is unavailable, if that is safe, and
   * while another one with its Idempotency-Key is in flight.
   */
  async sendAs(
    secret: string,
    { operation, idempotencyKey, id, body, query }: Omit<Request, 'user' | 'isAlone'>,
  ): Promise<Answer> {
    const { http, access, resource }: Operation = operations[operation];
    const { method, path: route } = http!;
    const path = resource
      ? route.replace(`{${resources[resource].idField}}`, encodeURIComponent(id!))
      : route;
    const parameters = new URLSearchParams(
      Object.entries(query ?? {}).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, String(one)]),
      ),
    );
    const ownKey = this.#repeatable ? randomUUID() : undefined;
    const key = access === 'write' ? (idempotencyKey ?? ownKey) : undefined;
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const isRepeatable = access === 'read' || key !== undefined;
    const url = `${path}${query ? `?${parameters.toString()}` : ''}`;
    return this.#repeat(isRepeatable, () => this.#fetch(secret, method, url, headers, body));
  }

  /** Imports a file. It is sent again while it is unknown whether it arrived. */
  importFile(format: 'csv' | 'ndjson', text: string): Promise<Answer> {
    const headers = {
      'content-type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      'idempotency-key': randomUUID(),
    };
    const { apiKey } = this.#users[0]!;
    return this.#repeat(true, () => this.#fetch(apiKey, 'POST', '/v1/imports', headers, text));
  }

  async #repeat(isRepeatable: boolean, attempt: () => Promise<Answer>): Promise<Answer> {
    for (const deadline = performance.now() + 60_000; ; await delay(50)) {
      const answer = await attempt().catch((error: unknown) => {
        if (!isRepeatable || performance.now() > deadline) throw error;
        return undefined;
      });
      const isInFlight = answer?.body['code'] === 'idempotency_key_in_use';
      if (
        answer &&
        answer.status !== 503 &&
        !(answer.status === 504 && isRepeatable) &&
        !isInFlight
      )
        return answer;
      if (answer && performance.now() > deadline) return answer;
    }
  }

  async #fetch(
    apiKey: string,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object | string,
  ): Promise<Answer> {
    const client = new Client({ baseUrl: this.#roster.baseUrl, apiKey });
    const answer = await client.send<Answer['body']>(method, path, body, headers);
    // The model clones what it has stored, and headers cannot be cloned.
    return { status: answer.status, body: answer.body };
  }
}

const untilAnswered = <T>(call: () => Promise<T>): Promise<T> =>
  eventually(call as () => Promise<T & {}>, { timeoutMs: 60_000 }) as Promise<T>;
