import { operations, type Caller } from '@roster/contracts';
import { generateKeyPairSync } from 'node:crypto';
import { admitCall, provenCaller } from '../../calls/server/admit-call.js';
import { decodeRequest, encodeCall, encodeRequest } from '../../calls/frame/request-frame.js';
import { CallerVerifier } from '../../proof/caller-verifier.js';
import { openStatement, signStatement } from '../../proof/statement.js';
import { steadyNow } from '../../wire.js';

// Prints the CPU time that the proof of the caller, and the second check of the input, add to a call in a service:
//   npm run build:tests -w libs/bus && node libs/bus/dist/test/proof/measure-proof.js

const rounds = 7;
const callsPerRound = 100_000;

const get = operations['contacts.get'];
const create = operations['contacts.create'];
const contact = {
  email: 'ada@example.com',
  name: 'Ada',
  tags: ['a'],
  properties: { city: 'London' },
};
const inputs = { get: { contactId: 'cont_01jz8xq7xkfwst9k3x2t8jm4vw' }, create: contact };

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const claims: Caller = {
  workspaceId: 'wksp_01jz8xq7xkfwst9k3x2t8jm4vw',
  userId: 'usr_01jz8xq7xkfwst9k3x2t8jm4vw',
  keyId: 'key_01jz8xq7xkfwst9k3x2t8jm4vw',
  scopes: ['api_user', 'user'],
};
const issuedAt = steadyNow();
const proof = signStatement(
  { caller: claims, signer: 'measured', issuedAt, expiresAt: issuedAt + 3_600_000 },
  { id: 'k1', key: privateKey },
);
const verifier = new CallerVerifier([{ id: 'k1', key: publicKey }]);

/** The lowest of several rounds: other processes only add to it. */
function microsOf(work: () => void, callsEach: number): number {
  let lowest = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let calls = 0; calls < callsPerRound; calls += callsEach) work();
    const { user, system } = process.cpuUsage(before);
    lowest = Math.min(lowest, (user + system) / callsPerRound);
  }
  return lowest;
}

function requestOf(caller: Caller, calls: number): Buffer {
  const context = { requestId: 'req_0123456789abcdef0123456789abcdef', deadline: steadyNow() };
  const encoded = encodeCall({ ...context, input: inputs.get });
  const all = Array.from({ length: calls }, () => ({ caller, encoded }));
  return Buffer.from(encodeRequest(all, 'clock'));
}

function measureProof(calls: number): void {
  const [claimed, proven] = [requestOf(claims, calls), requestOf({ ...claims, proof }, calls)];
  const read = (data: Buffer, by?: CallerVerifier) => () =>
    decodeRequest(data, undefined, (caller) => provenCaller(get, caller, by));
  const without = microsOf(read(claimed), calls);
  const added = microsOf(read(proven, verifier), calls) - without;
  print(`proof, ${calls} ${calls === 1 ? 'call' : 'calls'} in a batch`, added);
}

/** A hundredth of the calls: a signature takes longer than everything else. */
function measureSignature(): void {
  const keys = [{ id: 'k1', key: publicKey }];
  const micros = 100 * microsOf(() => void openStatement(proof, keys), 100);
  console.log(`first use of a statement: ${micros.toFixed(0)} µs`);
}

function measureInput(name: 'get' | 'create'): void {
  const operation = { get, create }[name];
  const call = { input: inputs[name], caller: claims, requestId: 'r', deadline: 0, bytes: 0 };
  const micros = microsOf(() => void admitCall(operation, call), 1);
  print(`scope and input of a ${name}`, micros);
}

const print = (what: string, micros: number): void =>
  console.log(`${what}: ${micros.toFixed(2)} µs per call`);

for (const calls of [1, 8, 64]) measureProof(calls);
measureSignature();
measureInput('get');
measureInput('create');
