import { useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { Time } from '../../parts/time.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import { EndSession, Sessions as SessionsDocument } from './settings.graphql.js';

/** Who is signed in to the console, and from where. */
export function Sessions() {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => request(SessionsDocument, {}, signal),
  });
  const [submit, { isBusy, failure }] = useSubmit();
  const end = (id: string) =>
    void submit(async () => {
      await request(EndSession, { id });
      await client.invalidateQueries({ queryKey: ['sessions'] });
    });
  const problem = failure ?? error?.message;
  return (
    <Section
      title="Sessions"
      about="Browsers that are signed in to this workspace. Each session ends after 12 hours."
    >
      {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
      <ul className={styles.properties}>
        {data?.sessions?.nodes.map(({ id, user, userAgent, address, isCurrent, lastUsedAt }) => (
          <li key={id}>
            <div>
              <strong>
                <bdi>{user.name}</bdi>
              </strong>{' '}
              {isCurrent && <Badge>This browser</Badge>}
              <p>
                {browserOf(userAgent)}
                {address && ` from ${address}`}, last used <Time at={lastUsedAt} />
              </p>
            </div>
            {!isCurrent && (
              <Button
                busy={isBusy}
                onClick={() => end(id)}
                aria-label={`End the session of ${user.name}`}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac', 'Linux'];
// The names of others contain those that follow.
const browsers = { Edg: 'Edge', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };

/** `Firefox on Linux`, as far as the browser says it. */
function browserOf(userAgent: string | null): string {
  const browser = Object.entries(browsers).find(([name]) => userAgent?.includes(`${name}/`))?.[1];
  const system = systems.find((name) => userAgent?.includes(name));
  return [browser ?? 'A browser', system && `on ${system}`].filter(Boolean).join(' ');
}
