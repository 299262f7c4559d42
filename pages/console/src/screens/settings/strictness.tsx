import { useQueryClient } from '@tanstack/react-query';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Notice } from '../../parts/notice.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import { SetStrict } from './settings.graphql.js';

/** Whether contacts may have properties that nobody has defined. */
export function Strictness({ strict }: { strict: boolean }) {
  const client = useQueryClient();
  const [submit, { isBusy, failure }] = useSubmit();
  const change = (next: boolean) =>
    void submit(async () => {
      await request(SetStrict, { strict: next });
      await client.invalidateQueries({ queryKey: ['settings'] });
    });
  return (
    <Section
      title="New properties"
      about="Contacts that have a property without a definition are accepted, and the definition is created; or they are refused, so that a spelling mistake cannot create one."
    >
      <label className={styles.choice}>
        <input
          type="checkbox"
          role="switch"
          checked={strict}
          disabled={isBusy}
          onChange={({ target }) => change(target.checked)}
        />
        Refuse properties that are not defined
      </label>
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
    </Section>
  );
}
