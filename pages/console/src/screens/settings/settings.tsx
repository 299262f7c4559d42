import { useQuery } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { Notice } from '../../parts/notice.js';
import { Page } from '../../parts/page.js';
import { Limits } from './limits.js';
import { Origins } from './origins.js';
import { Properties } from './properties.js';
import styles from './settings.module.css';
import { Settings as SettingsDocument } from './settings.graphql.js';
import { Sessions } from './sessions.js';
import { Strictness } from './strictness.js';
import { Suppressions } from './suppressions.js';
import { Tags } from './tags.js';

/** What the workspace is set up with. */
export function Settings() {
  const { data, error } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => request(SettingsDocument, {}, signal),
  });
  return (
    <Page title="Settings" summary={data?.meta && `Roster ${data.meta.version}`}>
      <div className={styles.sections}>
        {error && <Notice kind="bad">{error.message}</Notice>}
        <Properties />
        <Tags />
        {data?.settings && <Strictness strict={data.settings.strictProperties} />}
        {data?.origins && <Origins origins={data.origins} />}
        <Suppressions />
        <Sessions />
        {data?.meta && <Limits meta={data.meta} />}
      </div>
    </Page>
  );
}
