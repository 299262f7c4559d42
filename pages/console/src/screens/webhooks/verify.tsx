import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../data/graphql.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { CodeBlock } from '../../parts/code-block.js';
import { Copy } from '../../parts/copy.js';
import { Field } from '../../parts/field.js';
import { Choice, Filters } from '../../parts/filters.js';
import { Notice } from '../../parts/notice.js';
import { argumentNotes, verifyingFunctions } from './functions.js';
import { signedExample, type SignedExample } from './signed-example.js';
import { judge, type Verdict } from './verifier.js';
import styles from './verify.module.css';
import { Example, SigningSecret } from './webhooks.graphql.js';

/** How a receiver verifies deliveries of this webhook, with a request signed with its secret, and a place to try one. */
export function Verify({ webhookId }: { webhookId: string }) {
  const [secret, setSecret] = useState('');
  const [example, setExample] = useState<SignedExample>();
  const { data: latest } = useQuery({
    queryKey: ['webhook-example', webhookId],
    queryFn: async ({ signal }) =>
      (await request(Example, { filter: { webhookId } }, signal)).deliveries?.nodes[0] ?? null,
  });
  const [submit, { isBusy, failure }] = useSubmit();
  const reveal = () =>
    void submit(async () => {
      const { webhook } = await request(SigningSecret, { id: webhookId });
      if (!webhook?.signingSecret) throw new Error('The secret requires the scope “user”.');
      setSecret(webhook.signingSecret);
      if (latest?.payload)
        setExample(
          await signedExample(webhook.signingSecret, latest.id, JSON.stringify(latest.payload)),
        );
    });
  if (!globalThis.crypto.subtle)
    return (
      <Notice kind="warn">
        Browsers verify signatures only on pages with https, or on localhost.
      </Notice>
    );
  return (
    <div className={styles.page}>
      <section className={styles.section}>
        <h2>Secret</h2>
        {secret ? (
          <div className={styles.line}>
            <code>{secret}</code>
            <Copy text={secret} what="secret" isWide />
          </div>
        ) : (
          <div className={styles.line}>
            <Button busy={isBusy} onClick={reveal}>
              Show secret
            </Button>
            <span className={styles.quiet}>Reading it is recorded in the audit log.</span>
          </div>
        )}
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
      </section>
      <section className={styles.section}>
        <h2>Verify in your receiver</h2>
        <Functions />
      </section>
      {example && (
        <section className={styles.section}>
          <h2>Try your receiver</h2>
          <p className={styles.quiet}>
            The newest delivery of this webhook, signed now: a receiver accepts it for five minutes.
          </p>
          <CodeBlock label="Command" text={curlOf(example)} />
        </section>
      )}
      <section className={styles.section}>
        <h2>Verify a request</h2>
        <Verifier secret={secret} onSecret={setSecret} example={example} />
      </section>
    </div>
  );
}

function Functions() {
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('language');
  const shown =
    verifyingFunctions.find(({ language }) => language === chosen) ?? verifyingFunctions[0]!;
  return (
    <>
      <Filters>
        <Choice
          label="Language"
          value={shown.language}
          options={verifyingFunctions.map(({ language }) => [language, language] as const)}
          onChange={(language) =>
            setSearch(
              (old) => {
                const next = new URLSearchParams(old);
                next.set('language', language);
                return next;
              },
              { replace: true },
            )
          }
        />
      </Filters>
      <CodeBlock label={`Function for ${shown.language}`} text={shown.code} />
      <ul className={styles.notes}>
        {argumentNotes.map((note) => (
          <li key={note}>
            <Marked text={note} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Text with `code` in it. */
const Marked = ({ text }: { text: string }) =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));

interface VerifierProps {
  secret: string;
  onSecret: (secret: string) => void;
  example: SignedExample | undefined;
}

function Verifier({ secret, onSecret, example }: VerifierProps) {
  const [head, setHead] = useState('');
  const [body, setBody] = useState('');
  const [verdict, setVerdict] = useState<Verdict>();
  const verifyNow = async (event: FormEvent) => {
    event.preventDefault();
    setVerdict(await judge(head, body, secret.trim()));
  };
  const change = (set: (text: string) => void) => (text: string) => {
    setVerdict(undefined);
    set(text);
  };
  return (
    <form className={styles.section} onSubmit={(event) => void verifyNow(event)}>
      <Field
        label="Headers"
        hint="webhook-id, webhook-timestamp and webhook-signature, one on a line."
      >
        <textarea
          rows={4}
          required
          spellCheck={false}
          value={head}
          onChange={({ target }) => change(setHead)(target.value)}
        />
      </Field>
      <Field label="Body" hint="As it arrived: nothing here leaves this page.">
        <textarea
          rows={5}
          required
          spellCheck={false}
          value={body}
          onChange={({ target }) => change(setBody)(target.value)}
        />
      </Field>
      <Field label="Secret">
        <input
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="whsec_…"
          value={secret}
          onChange={({ target }) => change(onSecret)(target.value)}
        />
      </Field>
      <div className={styles.line}>
        <Button kind="primary" type="submit">
          Verify
        </Button>
        {example && (
          <Button
            onClick={() => {
              setVerdict(undefined);
              setHead(example.headers.map((pair) => pair.join(': ')).join('\n'));
              setBody(example.body);
            }}
          >
            Fill in the newest delivery
          </Button>
        )}
      </div>
      <div role="status">
        {verdict && (
          <Notice kind={verdict.isGenuine ? 'info' : 'bad'}>
            {verdict.sentences.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </Notice>
        )}
      </div>
    </form>
  );
}

const curlOf = ({ headers, body }: SignedExample): string =>
  [
    'curl -i http://localhost:3000/hook',
    ...headers.map((pair) => `-H '${pair.join(': ')}'`),
    `--data-binary '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n  ');
