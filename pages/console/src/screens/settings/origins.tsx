import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { toast } from '../../parts/toasts.js';
import { Section } from './section.js';
import styles from './settings.module.css';
import { SetOrigins } from './settings.graphql.js';

/** The web pages that may use keys and tokens of the workspace. */
export function Origins({ origins }: { origins: readonly string[] }) {
  const client = useQueryClient();
  const [submit, { isBusy, failure }] = useSubmit();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('origins') as string;
    void submit(async () => {
      await request(SetOrigins, { origins: text.split(/\s+/).filter(Boolean) });
      await client.invalidateQueries({ queryKey: ['settings'] });
      toast('The origins are saved.');
    });
  };
  return (
    <Section
      title="Origins"
      about="Web pages of these origins may call the API with keys and tokens of this workspace. One per line."
    >
      <form className={styles.form} onSubmit={onSubmit}>
        <Field label="Origins">
          <textarea
            name="origins"
            rows={Math.max(3, origins.length + 1)}
            defaultValue={origins.join('\n')}
            placeholder="https://app.example.com"
            spellCheck={false}
          />
        </Field>
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        <Button type="submit" busy={isBusy}>
          Save origins
        </Button>
      </form>
    </Section>
  );
}
