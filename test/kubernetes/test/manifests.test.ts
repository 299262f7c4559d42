import { readFile } from 'node:fs/promises';
import test from 'ava';
import { copyManifests, splitImage, withImage } from '../cluster/manifests.js';

const kustomization = `resources:
  - ../../base
images:
  - name: roster
    newName: roster
    newTag: dev
secretGenerator:
  - name: database
`;

test('another image is set by changing only its entry', (t) => {
  t.is(
    withImage(kustomization, 'registry.example:5000/roster:1.2'),
    kustomization
      .replace('newName: roster', 'newName: registry.example:5000/roster')
      .replace('newTag: dev', 'newTag: "1.2"'),
  );
});

test('with a registry port, the tag follows the second colon', (t) => {
  const replacement = "      options: { delimiter: ':', index: 1 }\n";
  const named = (image: string) => withImage(kustomization + replacement, image);
  t.true(named('registry.example/roster:1.2').endsWith(replacement));
  t.true(named('registry.example:5000/roster:1.2').endsWith(replacement.replace('1 }', '2 }')));
});

test('a kustomization without the image, or with two of them, is rejected', (t) => {
  t.throws(() => withImage('resources: []\n', 'roster:1'), { message: /occurs 0 times/ });
  t.throws(() => withImage(kustomization + kustomization, 'roster:1'), {
    message: /occurs 2 times/,
  });
});

test('the port of a registry is not a tag', (t) => {
  t.deepEqual(splitImage('roster:dev'), { name: 'roster', tag: 'dev' });
  t.deepEqual(splitImage('localhost:5000/roster'), {
    name: 'localhost:5000/roster',
    tag: 'latest',
  });
});

test('the copy contains the programs that its ConfigMap lists', async (t) => {
  const copy = await copyManifests('roster:other');
  t.teardown(() => copy.discard());
  const outside = copy.path('test/kubernetes/outside');
  const text = await readFile(`${outside}/kustomization.yaml`, 'utf8');
  t.regex(text, /newTag: "other"/);
  const programs = [...text.matchAll(/- (programs\/.*\.js)$/gm)].map(([, file]) => file!);
  t.true(programs.length > 0);
  for (const file of programs) t.true((await readFile(`${outside}/${file}`, 'utf8')).length > 0);
});
