import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { pythonWith } from './python-tool.js';

const run = promisify(execFile);

test('openapi-python-client generates every operation without a warning, and its client creates a contact', async (t) => {
  const python = pythonWith('openapi_python_client', t);
  if (!python) return;
  const roster = await sharedRoster(t);
  const folder = await temporaryDirectory(t);
  const text = await (await fetch(`${roster.baseUrl}/v1/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), text);
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const generate = ['generate', '--path', 'openapi.json', '--output-path', 'client'];
  const { stdout, stderr } = await run(
    python,
    ['-m', 'openapi_python_client', ...generate, '--config', 'config.json', '--fail-on-warning'],
    { cwd: folder },
  ).catch((error: { stdout: string; stderr: string }) => error);
  t.is((stdout + stderr).trim(), 'Generating client');

  await writeFile(join(folder, 'create.py'), program);
  const { BASE_URL, KEY } = { BASE_URL: roster.baseUrl, KEY: roster.apiKey };
  const env = { ...process.env, BASE_URL, KEY, PYTHONPATH: join(folder, 'client') };
  const made = await run(python, ['create.py'], { cwd: folder, env });
  t.is(made.stdout.trim(), 'ada@example.com London');
});

const config = {
  // Its formatter is a program of its own.
  post_hooks: [],
  // It knows no media type of text, and sends it as it is.
  content_type_overrides: {
    'text/csv': 'application/octet-stream',
    'application/x-ndjson': 'application/octet-stream',
  },
};

const program = `
import importlib, os, pkgutil
import roster_client
from roster_client import AuthenticatedClient
from roster_client.models import CreateContactInput

for module in pkgutil.walk_packages(roster_client.__path__, "roster_client."):
    importlib.import_module(module.name)
from roster_client.api.contacts import contacts_create, contacts_list

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["KEY"])
body = CreateContactInput.from_dict({"email": "ada@example.com", "properties": {"city": "London"}})
contacts_create.sync(client=client, body=body)
found = contacts_list.sync(client=client, property_=["city:London"])
print(found.contacts[0].email, found.contacts[0].properties["city"])
`;
