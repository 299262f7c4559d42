import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';

test('with the home of npm start, the command line uses its system and its workspace without a login', async (t) => {
  const { baseUrl, roster } = await sharedRoster(t);
  const { ROSTER_URL, ROSTER_API_KEY } = process.env;
  t.deepEqual({ ROSTER_URL, ROSTER_API_KEY }, { ROSTER_URL: undefined, ROSTER_API_KEY: undefined });
  const { profile, url, workspace } = (await roster('whoami')) as {
    profile: string;
    url: string;
    workspace: { name: string };
  };
  t.deepEqual(
    { profile, url, workspace: workspace.name },
    { profile: 'local', url: baseUrl, workspace: 'Demo' },
  );
});
