import test from 'ava';
import { hash } from 'node:crypto';
import { problemIn } from '../../problem-document.js';
import { bearer, sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

test('challenges a missing key with the scheme and an invalid key with invalid_token, and looks up only keys with a valid checksum', async (t) => {
  const challengeOf = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway().url}/v1/contacts`, { headers });
    t.is((await problemIn(response.clone())).code, 'unauthenticated');
    return response.headers.get('www-authenticate')!;
  };
  const { apiKey } = gateway().stubs.makeKey();
  const typo = apiKey.slice(0, 10) + (apiKey[10] === 'a' ? 'b' : 'a') + apiKey.slice(11);
  const lookUps = (key: string) => {
    const sha256 = hash('sha256', key);
    return gateway()
      .stubs.calls('keys.verify')
      .filter(({ input }) => (input as { sha256: string }).sha256 === sha256).length;
  };
  t.is(await challengeOf({}), 'Bearer realm="Roster"');
  for (const authorization of [
    'Basic cm9zdGVy',
    'Bearer',
    `Token ${apiKey}`,
    apiKey,
    `Bearer ${apiKey} ${apiKey}`,
  ]) {
    t.is(await challengeOf({ authorization }), 'Bearer realm="Roster"');
  }
  for (const wrong of [typo, `${apiKey}x`, 'rsk_', 'null']) {
    t.regex(
      await challengeOf(bearer(wrong)),
      /^Bearer realm="Roster", error="invalid_token", error_description="/,
    );
  }
  t.is(lookUps(typo), 0);
  const unknown = gateway().stubs.makeKey();
  gateway().stubs.revoke(unknown);
  t.regex(await challengeOf(bearer(unknown.apiKey)), /error="invalid_token"/);
  t.is(lookUps(unknown.apiKey), 1);
  t.is(
    (
      await fetch(`${gateway().url}/v1/contacts`, {
        headers: { authorization: `bearer  ${apiKey}` },
      })
    ).status,
    200,
  );
});
