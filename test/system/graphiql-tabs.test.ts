import test from 'ava';
import { Client } from './client.js';
import { sharedRoster } from './running-roster.js';

test('the requests in the tabs of GraphiQL can be sent in order, and none is refused', async (t) => {
  const roster = await sharedRoster(t);
  const client = new Client(roster);
  const script = await (await fetch(`${roster.baseUrl}/graphql/assets/start.js`)).text();
  const tabs = JSON.parse(/const defaultTabs = (\[.*\]);/.exec(script)![1]!) as Tab[];
  const posted = tabs.filter(({ query }) => !query.startsWith('subscription'));
  for (const { query, variables = '{}' } of posted) {
    const body = JSON.stringify({ query, variables: JSON.parse(variables) as object });
    const answer = await client.post<object>('/graphql', body);
    t.is(answer.status, 200, body);
    t.false('errors' in answer.body, JSON.stringify(answer.body));
  }
  t.is(posted.length, tabs.length - 1);
});

interface Tab {
  query: string;
  variables?: string;
}
