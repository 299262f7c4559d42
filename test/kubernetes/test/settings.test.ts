import test from 'ava';
import { OptionsError } from '../../command-line/read-options.js';
import { parts, readSettings, SettingsError } from '../settings.js';

const env = { KUBECONFIG: '/tmp/config', IMAGE_LOAD: 'kind load docker-image' };

test('requires KUBECONFIG, instead of using the default cluster of kubectl', (t) => {
  t.throws(() => readSettings([], { ...env, KUBECONFIG: '' }), {
    instanceOf: SettingsError,
    message: /^KUBECONFIG is missing.*$/,
  });
});

test('rejects settings that build an image without a command to load it', (t) => {
  t.throws(() => readSettings([], { ...env, IMAGE_LOAD: '' }), {
    message: /^IMAGE_LOAD is missing/,
  });
  t.is(
    readSettings([], { KUBECONFIG: 'x', IMAGE: 'r.example/roster:1' }).image,
    'r.example/roster:1',
  );
});

test('accepts a command with arguments', (t) => {
  t.deepEqual(readSettings([], env).imageLoad, ['kind', 'load', 'docker-image']);
});

test('rejects unknown options', (t) => {
  t.throws(() => readSettings(['--second', '5'], env), { instanceOf: OptionsError });
  t.like(readSettings(['--rate', '7'], env), { seconds: 5, requestsPerSecond: 7, keep: false });
});

test('requires images with a tag, after which the migration is named', (t) => {
  const images = { IMAGE: 'r.example:5000/roster:1.2', IMAGE_NEXT: 'r.example:5000/roster:1.3' };
  const settings = readSettings([], { ...env, ...images });
  t.is(settings.image, images.IMAGE);
  t.is(settings.imageNext, images.IMAGE_NEXT);
  for (const image of ['roster', 'r.example:5000/roster', 'roster:1@sha256:ab', 'roster:V_1'])
    t.throws(() => readSettings([], { ...env, IMAGE_NEXT: image }), { message: /^IMAGE_NEXT/ });
});

test('runs the parts that are named before the options, all of them by default', (t) => {
  t.deepEqual(readSettings([], env).parts, parts);
  t.like(readSettings(['accidents', 'isolation', '--keep'], env), {
    parts: ['isolation', 'accidents'],
    keep: true,
  });
  t.throws(() => readSettings(['isolate'], env), {
    instanceOf: OptionsError,
    message: /^There is no part "isolate"\. The parts are variants, installation, /,
  });
});
