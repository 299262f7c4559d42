import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@roster/testing';
import { Roster } from '@roster/client';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';

const generator = process.env['OAPI_CODEGEN'] ?? 'oapi-codegen';
const go = process.env['GO'] ?? 'go';
const runtime = 'github.com/oapi-codegen/runtime';

test('oapi-codegen generates every operation, and its client compiles and creates a contact with a number that is exact', async (t) => {
  t.timeout(300_000);
  if (spawnSync(generator, ['-version']).status !== 0) {
    t.log('not tested here: install oapi-codegen, or set OAPI_CODEGEN');
    t.pass();
    return;
  }
  const roster = await sharedRoster(t);
  const { apiKey } = await roster.newWorkspace('Go');
  await new Roster({ apiKey, baseUrl: roster.baseUrl }).contactProperties.create({
    ...{ name: 'share', label: 'Share', type: 'number' },
  });
  const folder = await temporaryDirectory(t);
  const document = await (await fetch(`${roster.baseUrl}/v1/openapi.json`)).text();
  await mkdir(join(folder, 'roster'));
  await writeFile(join(folder, 'openapi.json'), document);
  await writeFile(join(folder, 'go.mod'), goModule);
  await writeFile(join(folder, 'main.go'), program);
  const env = {
    ...process.env,
    // Only modules that are installed: a test downloads nothing.
    ...{ GOFLAGS: '-mod=mod', GOPROXY: 'off', GONOSUMDB: '*', GOTOOLCHAIN: 'local' },
    ...{ BASE_URL: roster.baseUrl, API_KEY: apiKey },
  };
  const run = (command: string, ...args: string[]) => {
    const { stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
    return stdout + stderr;
  };
  // The schemas of events belong to no operation.
  const generated = ['-generate', 'types,client,skip-prune', '-package', 'roster'];
  t.is(run(generator, ...generated, '-o', 'roster/roster.gen.go', 'openapi.json'), '');
  const built = run(go, 'build', '-o', 'program', '.');
  if (built.includes(`${runtime}@`)) {
    t.log(`not compiled here: download the Go module ${runtime}`);
    return;
  }
  t.is(built, '');
  t.is(run(join(folder, 'program')), 'go@example.com London 0.1 409 1\n');
});

const goModule = `module generated

go 1.24

require ${runtime} v1.9.0
`;

const program = `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"generated/roster"
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := roster.NewClientWithResponses(os.Getenv("BASE_URL"), roster.WithRequestEditorFn(key))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	tags := []string{"go"}
	city := roster.CreateContactInput_Properties_AdditionalProperties{}
	if err := city.FromCreateContactInputProperties0("London"); err != nil {
		log.Fatal(err)
	}
	share := roster.CreateContactInput_Properties_AdditionalProperties{}
	if err := share.FromCreateContactInputProperties1(0.1); err != nil {
		log.Fatal(err)
	}
	properties := map[string]roster.CreateContactInput_Properties_AdditionalProperties{"city": city, "share": share}
	body := roster.CreateContactInput{Email: "go@example.com", Tags: &tags, Properties: &properties}
	created, err := client.ContactsCreateWithResponse(ctx, nil, body)
	if err != nil || created.JSON201 == nil {
		log.Fatal(err, created)
	}
	again, err := client.ContactsCreateWithResponse(ctx, nil, body)
	if err != nil {
		log.Fatal(err)
	}
	found, err := client.ContactsListWithResponse(ctx, &roster.ContactsListParams{Tag: &tags})
	if err != nil || found.JSON200 == nil {
		log.Fatal(err, found)
	}
	contact := found.JSON200.Contacts[0]
	value, err := contact.Properties["city"].AsContactProperties0()
	if err != nil {
		log.Fatal(err)
	}
	number, err := contact.Properties["share"].AsContactProperties1()
	if err != nil {
		log.Fatal(err)
	}
	var exact float64 = number
	fmt.Println(contact.Email, value, exact, again.StatusCode(), len(found.JSON200.Contacts))
}
`;
