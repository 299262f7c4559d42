import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signingSecretOf } from '@roster/contracts';
import test from 'ava';
import { signatureHeaders } from '../../attempt/sign.js';

/** How a function of the page is run: with the four texts as arguments, and the body on standard input. It prints `true` or `false`. */
interface Language {
  /** A command that succeeds if the language is installed. */
  isInstalled: string[];
  file: string;
  /** What is appended to the function. */
  main: string;
  /** A further file. */
  module?: [file: string, text: string];
  compile?: string[];
  run: string[];
}

const languages: Record<string, Language> = {
  // The client library.
  ts: {
    isInstalled: [process.execPath, '--version'],
    file: 'verify.mts',
    main: `
      const [secret, id, timestamp, signature] = process.argv.slice(2);
      process.env.SIGNING_SECRET = secret;
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      console.log((await receive(Buffer.concat(await process.stdin.toArray()), headers)) === 204);`,
    run: [process.execPath, 'verify.mts'],
  },
  js: {
    isInstalled: [process.execPath, '--version'],
    file: 'verify.mjs',
    main: `
      const [secret, id, timestamp, signature] = process.argv.slice(2);
      console.log(isGenuine(secret, { id, timestamp, signature }, Buffer.concat(await process.stdin.toArray())));`,
    run: [process.execPath, 'verify.mjs'],
  },
  python: {
    isInstalled: ['python3', '--version'],
    file: 'verify.py',
    main: `
import sys
print(str(is_genuine(*sys.argv[1:5], sys.stdin.buffer.read())).lower())
`,
    run: ['python3', 'verify.py'],
  },
  go: {
    isInstalled: ['go', 'version'],
    file: 'verify.go',
    main: '',
    module: [
      'main.go',
      `package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	body, _ := io.ReadAll(os.Stdin)
	fmt.Println(isGenuine(os.Args[1], os.Args[2], os.Args[3], os.Args[4], body))
}
`,
    ],
    compile: ['go', 'build', '-o', 'verify', 'main.go', 'verify.go'],
    run: ['./verify'],
  },
  java: {
    isInstalled: ['javac', '-version'],
    file: 'Signature.java',
    main: '',
    module: [
      'Main.java',
      `final class Main {
  public static void main(String[] given) throws Exception {
    System.out.println(Signature.isGenuine(given[0], given[1], given[2], given[3], System.in.readAllBytes()));
  }
}
`,
    ],
    compile: ['javac', 'Main.java', 'Signature.java'],
    run: ['java', '-cp', '.', 'Main'],
  },
  ruby: {
    isInstalled: ['ruby', '--version'],
    file: 'verify.rb',
    main: 'puts genuine?(*ARGV, $stdin.binmode.read)\n',
    run: ['ruby', 'verify.rb'],
  },
  php: {
    isInstalled: ['php', '--version'],
    file: 'verify.php',
    main: 'echo isGenuine($argv[1], $argv[2], $argv[3], $argv[4], stream_get_contents(STDIN)) ? "true" : "false";\n',
    run: ['php', 'verify.php'],
  },
};

const body = '{"event":"CONTACT_DELETED","data":{"contact":{"name":"Zoë 🦊"}},"n":1}';
const now = Math.floor(Date.now() / 1000);
const signed = (timestamp: number, tokens: string[]) =>
  signatureHeaders('roster', { id: 'dlv_1', body, timestamp, tokens });
const token = 'wht_correct-horse+battery/staple';
const secret = signingSecretOf(token);

const genuine = { headers: signed(now, [token]), body };
const cases: Record<string, { headers: Record<string, string>; body: string; expected: boolean }> =
  {
    'a genuine delivery': { ...genuine, expected: true },
    'a delivery in the overlap of a rotation': {
      headers: signed(now, ['wht_another-token', token]),
      body,
      expected: true,
    },
    'another body': { ...genuine, body: body.replace('1', '2'), expected: false },
    'another token': { headers: signed(now, ['wht_another-token']), body, expected: false },
    'a delivery of ten minutes ago': {
      headers: signed(now - 600, [token]),
      body,
      expected: false,
    },
    'another time': {
      headers: { ...genuine.headers, 'webhook-timestamp': String(now - 1) },
      body,
      expected: false,
    },
    'a part of the signature': {
      headers: { ...genuine.headers, 'webhook-signature': 'v1,' },
      body,
      expected: false,
    },
    'no headers': {
      headers: { 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' },
      body,
      expected: false,
    },
  };

const library = join(dirname(fileURLToPath(import.meta.resolve('@roster/client'))), '..');
const page = new URL('../../../verifying-signatures.md', import.meta.url);

for (const [language, how] of Object.entries(languages))
  test(`the function for ${language} accepts genuine deliveries only`, async (t) => {
    t.timeout(300_000);
    const [program, ...options] = how.isInstalled;
    if (spawnSync(program!, options).status !== 0) {
      t.log(`not tested here: ${program} is not installed`);
      return t.pass();
    }
    const text = await readFile(page, 'utf8');
    const source = new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``).exec(text)![1]!;
    const cwd = await mkdtemp(join(tmpdir(), 'roster-verify-'));
    t.teardown(() => rm(cwd, { recursive: true, force: true }));
    const packages = join(cwd, 'node_modules/@roster');
    await mkdir(packages, { recursive: true });
    await symlink(library, join(packages, 'client'));
    await writeFile(join(cwd, how.file), source + how.main);
    if (how.module) await writeFile(join(cwd, how.module[0]), how.module[1]);
    if (how.compile) {
      const [compiler, ...compileOptions] = how.compile;
      const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off' };
      const compiled = spawnSync(compiler!, compileOptions, { cwd, env, encoding: 'utf8' });
      t.is(compiled.status, 0, compiled.stderr);
    }
    const [command, ...before] = how.run;
    for (const [name, { headers, body: input, expected }] of Object.entries(cases)) {
      const given = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
        (header) => headers[header]!,
      );
      const ran = spawnSync(command!, [...before, secret, ...given], { cwd, input });
      t.is(ran.stdout.toString().trim(), String(expected), `${name}: ${ran.stderr.toString()}`);
    }
    return undefined;
  });
