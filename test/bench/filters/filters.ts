/** Contacts among which the filters are measured: names, tags and properties of different frequencies. */
export const insertFiltered = `
  insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at)
  select $1::uuid, (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || right($2::text, 9) || lpad(to_hex(n), 12, '0'))::uuid,
    'user' || n || '@example.com', 'user' || n || '@example.com',
    (array['Ada','Grace','Mary','Alan','Edsger'])[1 + n % 5] || ' ' ||
      (array['Lovelace','Hopper','Somerville','Turing','Dijkstra','Perlis','Knuth'])[1 + n % 7],
    jsonb_build_array('tag' || n % 10, 'rare' || n % 5000),
    jsonb_build_object('city', 'city' || n % 20, 'plan', 'p' || n % 3, 'ref', 'r' || n % 20000),
    case when n % 100 = 0 then 'unsubscribed' else 'subscribed' end,
    created_at
  from generate_series($3::int, $4::int) n,
    lateral (select timestamptz '2026-01-01T00:00:00Z' + n * interval '10 seconds' as created_at) t`;

const timeOf = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 10_000).toISOString();

/** Query strings by title. More than the filters that a process remembers of a workspace, so that each turn begins anew. */
export const filtersOf = (contacts: number): Record<string, string> => ({
  email: `email=user${contacts / 2}@example.com`,
  'tag of 10 %': 'tag=tag7',
  'tag of 0.02 %': 'tag=rare77',
  'two tags': 'tag=tag7&tag=rare77',
  'tag of none': 'tag=none',
  'status of 1 %': 'status=unsubscribed',
  'status of 99 %': 'status=subscribed',
  'property of 5 %': 'property[city]=city7',
  'property of 0.005 %': 'property[ref]=r77',
  'created in the second half': `createdAfter=${timeOf(contacts / 2)}`,
  'created in the first half': `createdBefore=${timeOf(contacts / 2)}`,
  'created last': `createdAfter=${timeOf(contacts - 30)}`,
  'q: one address': `q=user${contacts / 2}`,
  'q: all addresses': 'q=user',
  'q: names of 20 %': 'q=ada',
  'q: names of 3 %': 'q=ada%20lovelace',
  'q: none': 'q=zzz',
  'tag and status': 'tag=tag7&status=subscribed',
  'tag and property': 'tag=tag7&property[city]=city7',
  'q and status of 1 %': 'q=ada&status=unsubscribed',
  'tag of 10 %, by address': 'tag=tag6&sort=email',
  'tag of 10 %, newest first': 'tag=tag5&sort=-createdAt',
  'any of two tags of 10 %': 'tag=any:tag3,tag4',
  'any of two tags of 0.02 %': 'tag=any:rare78,rare79',
  'none of two tags of 10 %': 'tag=none:tag3,tag4',
  'tag of 10 % without one': 'tag=tag7&tag=not:rare77',
  'any of two values of 5 %': 'property=city:any:city7,city8',
  'any of two values of 0.005 %': 'property=ref:any:r78,r79',
  'property above a value, 50 %': 'property=city:gt:city2',
  'property above a value, 0.3 %': 'property=ref:gt:r997',
  'property missing': 'property=city:missing',
  'newest first': 'sort=-createdAt',
  'by address': 'sort=email',
});
