import { openLog } from '@roster/service';
import test from 'ava';
import { parse, type DocumentNode, type GraphQLError } from 'graphql';
import { buildRosterSchema } from '../../graphql/build-schema.js';
import type { GraphqlContext } from '../../graphql/context.js';
import { checkLimits } from '../../graphql/document/check-limits.js';
import { DocumentChecker } from '../../graphql/document/document-checker.js';
import { DocumentStore } from '../../graphql/document/document-store.js';
import { documentLimits } from '../../graphql/document/limits.js';
import { openApollo } from '../../graphql/http/open-apollo.js';
import { hostileDocuments, many } from './hostile-documents.js';

const schema = buildRosterSchema();
const log = openLog('gateway', 'silent');

class CountingChecker extends DocumentChecker {
  validated = 0;

  override validate(document: DocumentNode): readonly GraphQLError[] {
    this.validated += 1;
    return super.validate(document);
  }
}

class CountingStore extends DocumentStore {
  asked = 0;

  override get(key: string): Promise<DocumentNode | undefined> {
    this.asked += 1;
    return super.get(key);
  }
}

async function open() {
  const checker = new CountingChecker(schema, { introspection: true });
  const documents = new CountingStore();
  const apollo = await openApollo({ schema, checker, log, introspection: true, documents });
  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await apollo.executeOperation(
      { query, variables },
      // Whatever is asked for here fails.
      { contextValue: { requestId: 'r' } as GraphqlContext },
    );
    return body.kind === 'single' ? body.singleResult : undefined;
  };
  return { checker, documents, ask };
}

// What they cost is bounded by what is never done for them, on any machine.
for (const [name, [document, code, variables]] of Object.entries(hostileDocuments)) {
  const isInvalid = code === 'GRAPHQL_VALIDATION_FAILED';
  test(`${name} is neither ${isInvalid ? '' : 'validated nor '}executed nor kept`, async (t) => {
    const { checker, documents, ask } = await open();
    const answer = await ask(document, variables);
    t.is(answer?.errors?.[0]?.extensions?.['code'], code);
    t.is(answer?.data, undefined, 'not executed');
    t.is(checker.validated, isInvalid ? 1 : 0);
    t.is(documents.asked, 1, 'no other store, which would write the document as JSON');
    t.is(documents.tokens, 0);
  });

  test(`${name} is measured by looking at a bounded number of nodes`, (t) => {
    let parsed: DocumentNode;
    try {
      parsed = parse(document, { maxTokens: documentLimits.tokens });
    } catch {
      t.pass('refused while it was parsed');
      return;
    }
    let looked = 0;
    const counted = <T extends object>(node: T): T =>
      new Proxy(node, {
        get(target, property) {
          if (property === 'kind') looked += 1;
          const value: unknown = Reflect.get(target, property);
          return typeof value === 'object' && value !== null ? counted(value) : value;
        },
      });
    const refusal = checkLimits(counted(parsed), variables, { introspection: true });
    t.is(refusal?.extensions['code'], isInvalid ? undefined : code);
    t.true(looked <= 30_000, `${looked} nodes`);
    t.log(`${looked} nodes`);
  });
}

test('valid documents are kept, and bounded by their tokens together', async (t) => {
  const { documents, ask } = await open();
  const same = '{ me { id } }';
  for (let n = 0; n < 3; n += 1) await ask(same);
  t.is(documents.tokens, 6, 'once');
  const hash = (n: number) => `hash-${n}`;
  const long = parse(`{ ${many(100, (n) => `a${n}: me { id }`)} }`, { maxTokens: 5000 });
  const tokens = long.tokenCount!;
  for (let n = 0; n < 1000; n += 1) documents.keep(hash(n), { ...long, tokenCount: tokens });
  t.true(documents.tokens <= 100_000 && documents.tokens > 90_000, String(documents.tokens));
  t.is(await documents.get(hash(0)), undefined, 'the oldest made room');
  t.truthy(await documents.get(`schema:${hash(999)}`));
});
