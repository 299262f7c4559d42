import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingSecretOf } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../attempt/sign.js';

const body = '{"name":"Zoë 🦊","n":1}';
const token = 'wht_correct-horse+battery/staple';
const timestamp = Math.floor(Date.now() / 1000);
const headers = signatureHeaders('roster', { id: 'dlv_1', body, timestamp, tokens: [token] });
/** What the programs below read: the secret, the headers and the body of a genuine and of a forged delivery. */
const input = (payload: string): string =>
  JSON.stringify({ secret: signingSecretOf(token), headers, body: payload });
const forged = body.replace('1', '2');

test('the library for JavaScript verifies a delivery with the signing secret', (t) => {
  const webhook = new Webhook(signingSecretOf(token));
  t.deepEqual(webhook.verify(body, headers), JSON.parse(body));
  t.throws(() => webhook.verify(forged, headers));
});

test('the library for Python verifies a delivery with the signing secret', (t) => {
  const python = process.env['PYTHON'] ?? 'python3';
  if (spawnSync(python, ['-c', 'import standardwebhooks']).status !== 0)
    return skip(t, 'the Python package standardwebhooks, or set PYTHON');
  const verify = (payload: string) =>
    spawnSync(python, ['-c', pythonProgram], { input: input(payload), encoding: 'utf8' });
  t.like(verify(body), { status: 0, stdout: 'Zoë 🦊' });
  t.regex(verify(forged).stderr, /WebhookVerificationError/);
  return undefined;
});

test('the library for Go verifies a delivery with the signing secret', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'roster-go-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, 'go.mod'), goModule);
  await writeFile(join(home, 'main.go'), goProgram);
  // Only a module that is installed: a test downloads nothing.
  const env = {
    ...process.env,
    GOFLAGS: '-mod=mod',
    GOPROXY: 'off',
    GONOSUMDB: '*',
    GOTOOLCHAIN: 'local',
  };
  const go = process.env['GO'] ?? 'go';
  const built = spawnSync(go, ['build', '-o', 'verify', '.'], { cwd: home, env });
  if (built.status !== 0) return skip(t, `Go and ${goLibrary}`);
  const verify = (payload: string) =>
    spawnSync(join(home, 'verify'), { input: input(payload), encoding: 'utf8' });
  t.like(verify(body), { status: 0, stdout: 'verified' });
  t.regex(verify(forged).stderr, /no matching signature/i);
  return undefined;
});

function skip(t: ExecutionContext, missing: string): void {
  t.log(`not tested here: install ${missing}`);
  t.pass();
}

const pythonProgram = `
import json, sys
from standardwebhooks import Webhook
given = json.loads(sys.stdin.buffer.read())
payload = Webhook(given["secret"]).verify(given["body"], given["headers"])
sys.stdout.buffer.write(payload["name"].encode())
`;

const goLibrary = 'github.com/standard-webhooks/standard-webhooks/libraries';
const goModule = `module verify

go 1.21

require ${goLibrary} v0.0.1
`;
const goProgram = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "${goLibrary}/go"
)

func main() {
	var given struct {
		Secret  string
		Headers map[string]string
		Body    string
	}
	check(json.NewDecoder(os.Stdin).Decode(&given))
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	webhook, err := standardwebhooks.NewWebhook(given.Secret)
	check(err)
	check(webhook.Verify([]byte(given.Body), headers))
	fmt.Print("verified")
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`;
