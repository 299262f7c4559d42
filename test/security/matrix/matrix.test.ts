import { encodeId, operations, type Operation } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { Client, inParallel } from '../../system/client.js';
import {
  createResources,
  namedIn,
  shown,
  type Ids,
  type Shown,
} from '../../system/owned-resources.js';
import { startReceiver, type Receiver } from '../../system/receiver.js';
import { patience, startRoster, type RunningRoster } from '../../system/running-roster.js';
import { interfaces, type CallOperation } from './call-operation.js';
import { credentialsOf, denialOf, type Credential } from './credentials.js';

let running: RunningRoster;
let receiver: Receiver;
let ids: Ids;
let own: Record<string, Credential>;
let callers: [string, CallOperation][];

test.before(async (t) => {
  running = await startRoster({
    t,
    env: {
      ...patience,
      FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
      RATE_LIMIT_PER_SECOND: '100000',
    },
  });
  receiver = await startReceiver();
  ids = await createResources(new Client(running), receiver.url);
  own = await credentialsOf(running);
  callers = Object.entries(interfaces(running.baseUrl));
});
test.after.always(async () => {
  await running?.discard();
  await receiver?.stop();
});

/** The ID of the resource of an operation that exists. */
function existing(operation: Shown): string {
  const named = namedIn(operation);
  if (named === undefined) return '';
  const id = (ids as Record<string, string>)[named];
  if (id === undefined)
    throw new Error(`${operation.name}: create a ${named} in test/system/owned-resources.ts`);
  return id;
}

const unknown = ({ resource }: Shown): string =>
  resource ? encodeId(resource, randomUUID()) : randomUUID();

/** Over GraphQL, they are fields of the webhook, which `webhook(id:)` returns. */
const fieldsOfWebhooks: ReadonlySet<string> = new Set(['deliveries.list', 'webhooks.stats']);

/** Over GraphQL, a webhook without its secrets, which the documents here do not select, is read by another operation. */
const withoutSecrets: Operation = operations['webhooks.find'];

function denialIn({ operation, where, credential }: Case) {
  if (where === 'REST') return denialOf(operation, credential);
  if (operation.name === 'webhooks.get') return denialOf(withoutSecrets, credential);
  const isField = fieldsOfWebhooks.has(operation.name);
  return (
    denialOf(operation, credential) ?? (isField ? denialOf(withoutSecrets, credential) : undefined)
  );
}

interface Case {
  operation: Shown;
  where: string;
  call: CallOperation;
  credential: Credential;
  /** Operation, interface and credential. */
  name: string;
}

/** GraphQL has no files. */
const callersOf = ({ http }: Shown) =>
  callers.filter(([where]) => where === 'REST' || !(http.file || http.upload));

const cases = (credentials: Record<string, Credential>): Case[] =>
  shown.flatMap((operation) =>
    callersOf(operation).flatMap(([where, call]) =>
      Object.entries(credentials).map(([who, credential]) => ({
        ...{ operation, where, call, credential },
        name: `${operation.name} over ${where} with ${who}`,
      })),
    ),
  );

/** Runs the cases, and returns a line for each that has a problem. */
async function problemsOf<One extends Case>(
  all: readonly One[],
  problemOf: (one: One) => Promise<string | undefined>,
): Promise<string[]> {
  const found = await inParallel(all, 16, async (one) => {
    const problem = await problemOf(one);
    return problem === undefined ? [] : [`${one.name}: ${problem}`];
  });
  return found.flat();
}

/** What no response to others contains: the email of the contact and the URL of the webhook. */
const secrets = () => ['a@example.com', receiver.url];

const stateOf = async () => {
  const owner = new Client(running);
  const { body } = await owner.get<{ webhook: object }>(`/v1/webhooks/${ids.webhook}`);
  return {
    contact: (await owner.get(`/v1/contacts/${ids.contact}`)).body,
    // The times of its last deliveries change in the background.
    webhook: { ...body.webhook, lastSuccessAt: null, lastFailureAt: null },
    properties: (await owner.get('/v1/contact-properties')).body,
    keys: Object.values((await owner.get<object>('/v1/api-keys')).body)
      .flat()
      .map((one) => (one as { id?: string }).id),
  };
};

test.serial(
  'operations are refused to every credential that does not allow them, and change nothing',
  async (t) => {
    t.timeout(300_000);
    const before = await stateOf();
    const denied = cases(own).filter(denialIn);
    t.true(denied.length > shown.length * 10);
    const problems = await problemsOf(denied, async (one) => {
      const { operation, call, credential } = one;
      const expected = denialIn(one)!;
      const { codes, body } = await call(operation, existing(operation), credential.secret);
      const shows = secrets().filter((secret) => body.includes(secret));
      if (shows.length > 0) return `shows ${shows.join(' and ')}`;
      return codes.length > 0 && codes.every((code) => code === expected)
        ? undefined
        : `answered ${codes.join() || 'no error'} instead of ${expected}`;
    });
    t.deepEqual(problems, []);
    t.deepEqual(await stateOf(), before);
  },
);

test.serial(
  'the ID of a resource, or the tag, of another workspace is answered exactly like one that does not exist',
  async (t) => {
    t.timeout(300_000);
    const { apiKey } = await running.newWorkspace('Stranger');
    const client = new Client({ baseUrl: running.baseUrl, apiKey });
    const { token } = (await client.post<{ token: { secret: string } }>('/v1/tokens', {})).body;
    const all = { scopes: ['api_user', 'user'] as const };
    const strangers: Record<string, Credential> = {
      'a foreign key': { ...all, secret: apiKey },
      'a foreign token': {
        ...all,
        secret: token.secret,
        token: { readOnly: false, operations: null },
      },
    };
    const before = await stateOf();
    const allowed = cases(strangers).filter((one) => namedIn(one.operation) && !denialIn(one));
    const problems = await problemsOf(allowed, async ({ operation, call, credential }) => {
      const [foreign, absent, malformed] = [
        await call(operation, existing(operation), credential.secret),
        await call(operation, unknown(operation), credential.secret),
        await call(operation, 'malformed', credential.secret),
      ];
      if (operation.access === 'write' && !foreign.codes.includes('not_found'))
        return `answered ${foreign.codes.join() || 'no error'}`;
      const [first, ...others] = [foreign, absent, malformed].map((one) => JSON.stringify(one));
      return others.every((one) => one === first)
        ? undefined
        : `${first} differs from ${others.join()}`;
    });
    t.deepEqual(problems, []);
    t.deepEqual(await stateOf(), before);
  },
);

test.serial('no list or own record of a workspace shows anything of another', async (t) => {
  t.timeout(300_000);
  const { apiKey } = await running.newWorkspace('Reader');
  const reader: Record<string, Credential> = {
    'a foreign key': { secret: apiKey, scopes: ['api_user', 'user'] },
  };
  const reads = cases(reader).filter(
    ({ operation: { resource, access } }) => !resource && access === 'read',
  );
  const problems = await problemsOf(reads, async ({ operation, call, credential }) => {
    const { body, codes } = await call(operation, '', credential.secret);
    if (codes.length > 0) return `answered ${codes.join()}`;
    const shows = [...secrets(), ...Object.values(ids)].filter((one) => body.includes(one));
    return shows.length > 0 ? `shows ${shows.join(' and ')}` : undefined;
  });
  t.deepEqual(problems, []);
});

test.serial('operations are refused to no credential that allows them', async (t) => {
  t.timeout(300_000);
  const allowed = cases(own).filter((one) => !denialIn(one));
  const problems = await problemsOf(allowed, async ({ operation, call, credential }) => {
    // Resources that exist are left as they are.
    const { codes } = await call(operation, unknown(operation), credential.secret);
    const refusals = codes.filter(
      (code) => code === 'unauthenticated' || code === 'insufficient_scope',
    );
    return refusals.length > 0 ? `answered ${refusals.join()}` : undefined;
  });
  t.deepEqual(problems, []);
});
