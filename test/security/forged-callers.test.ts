import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  CallerSigner,
  connectBus,
  signStatement,
  steadyNow,
  type Bus,
  type Call,
  type HandlerTable,
} from '@roster/bus';
import {
  anyScope,
  encodeId,
  Fault,
  operations,
  operationsOf,
  scopes,
  type Caller,
  type Operation,
  type OperationName,
  type ServiceName,
} from '@roster/contracts';
import { sampleInput, throwawayNats } from '@roster/testing';
import test from 'ava';

/** The operations that API keys may call. Internal ones are protected by the permissions of NATS. */
const scoped = Object.values(operations).filter(({ scope }: Operation) => scope !== undefined);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signing = { id: 'k1', key: privateKey };
const foreign = { id: 'k1', key: generateKeyPairSync('ed25519').privateKey };

const newCaller = (): Caller => ({
  workspaceId: encodeId('workspace', randomUUID()),
  userId: encodeId('user', randomUUID()),
  keyId: encodeId('key', randomUUID()),
  scopes: [...scopes],
});
const victim = newCaller();
const attacker = newCaller();
const proofOf = (caller: Caller) => new CallerSigner(signing).sign(caller).text;
const minuteMs = 60_000;
const statementAt = (issuedAt: number) =>
  signStatement(
    { caller: victim, signer: 'one', issuedAt, expiresAt: issuedAt + 3 * minuteMs },
    signing,
  );

/** What a process with the gateway's credentials can send in the name of the victim without a current statement about it. */
const forgeries: Record<string, Caller> = {
  'claims without a statement': victim,
  'an empty statement': { ...victim, proof: '' },
  'a statement signed with another key': {
    ...victim,
    proof: new CallerSigner(foreign).sign(victim).text,
  },
  'a statement whose payload was replaced': {
    ...victim,
    proof: proofOf(attacker).replace(/\.[^.]*\./, `.${proofOf(victim).split('.')[1]}.`),
  },
  'a statement that expired more than an hour ago': {
    ...victim,
    proof: statementAt(steadyNow() - 120 * minuteMs),
  },
  'a replayed statement of a signer of which a newer one was seen': {
    ...victim,
    proof: statementAt(steadyNow() - 10 * minuteMs),
  },
};

interface Handled {
  operation: string;
  caller: Caller;
}

let client: Bus;
const handled: Handled[] = [];
const releases: (() => unknown)[] = [];

/** Every service, with handlers that only note who called. */
test.before(async () => {
  const nats = await throwawayNats();
  releases.push(() => nats.stop());
  const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  const callerKeys = [{ id: 'k1', key: publicKey }];
  const server = await connectBus({ servers: nats.url, name: 'services', log, callerKeys });
  releases.push(() => server.close());
  for (const service of Object.keys(operationsOf) as ServiceName[]) {
    const handlers = Object.keys(operationsOf[service]).map((operation) => [
      operation,
      async (calls: Call[]) =>
        calls.map(({ caller }) => {
          handled.push({ operation, caller });
          return {};
        }),
    ]);
    server.serve(service, Object.fromEntries(handlers) as HandlerTable<ServiceName>);
  }
  await server.link.nats.flush();
  client = await connectBus({ servers: nats.url, name: 'gateway', log });
  releases.push(() => client.close());
  // A current statement of the signer whose older statements are replayed.
  await outcomeOf(scoped[0]!, { ...victim, proof: statementAt(steadyNow()) });
});

test.after.always(async () => {
  for (const release of releases.toReversed()) await release();
});

async function outcomeOf(operation: Operation, caller: Caller): Promise<string> {
  const context = { caller, requestId: randomUUID(), deadline: steadyNow() + 60_000 };
  try {
    await client.callRaw(operation.name as OperationName, sampleInput(operation), context);
    return 'ok';
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

const callersOf = ({ name }: Operation) =>
  handled.filter(({ operation }) => operation === name).map(({ caller }) => caller.workspaceId);

for (const operation of scoped) {
  test(`${operation.name} is refused for every forged caller`, async (t) => {
    const before = callersOf(operation).length;
    const outcomes = await Promise.all(
      Object.values(forgeries).map((forged) => outcomeOf(operation, forged)),
    );
    t.deepEqual(
      Object.fromEntries(Object.keys(forgeries).map((name, at) => [name, outcomes[at]])),
      Object.fromEntries(Object.keys(forgeries).map((name) => [name, 'unavailable'])),
    );
    const own = await outcomeOf(operation, { ...victim, proof: proofOf(attacker) });
    t.is(own, 'ok');
    t.deepEqual(
      callersOf(operation).slice(before),
      [attacker.workspaceId],
      'a statement reaches the workspace that it names, whatever is claimed beside it',
    );
  });

  if (operation.scope === anyScope) continue;
  test(`${operation.name} is refused for a key without its scope`, async (t) => {
    const others = scopes.filter((scope) => scope !== operation.scope);
    const proof = proofOf({ ...newCaller(), scopes: others });
    t.is(await outcomeOf(operation, { ...victim, proof }), 'insufficient_scope');
  });
}
