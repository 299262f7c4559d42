import { openLog } from '@roster/process';
import test from 'ava';
import { parse, type DocumentNode, type GraphQLError } from 'graphql';
import { buildRosterSchema } from '../../../graphql/build-schema.js';
import type { GraphqlContext } from '../../../graphql/context.js';
import { RequestBudget } from '../../../graphql/request/request-budget.js';
import { checkLimits, introspectionCost } from '../../../graphql/document/check-limits.js';
import { CostModel } from '../../../graphql/document/cost-model.js';
import { DocumentChecker } from '../../../graphql/document/document-checker.js';
import { DocumentStore } from '../../../graphql/document/document-store.js';
import { documentLimits } from '../../../graphql/document/limits.js';
import { openApollo } from '../../../graphql/http/open-apollo.js';
import { hostileDocuments, many } from './hostile-documents.js';

const schema = buildRosterSchema();
const model = new CostModel(schema);
const log = openLog('gateway', 'silent');

class CountingChecker extends DocumentChecker {
  validated = 0;

  override validate(document: DocumentNode): readonly GraphQLError[] {
    this.validated += 1;
    return super.validate(document);
  }
}

class CountingStore extends DocumentStore {
  gets = 0;

  override get(key: string): Promise<DocumentNode | undefined> {
    this.gets += 1;
    return super.get(key);
  }
}

async function open() {
  const slices = { taken: 0 };
  const checker = new CountingChecker(schema, { introspection: true });
  const documents = new CountingStore();
  const apollo = await openApollo({ schema, checker, log, introspection: true, documents });
  const execute = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await apollo.executeOperation(
      { query, variables },
      // Every resolver fails with this context.
      {
        contextValue: {
          requestId: 'r',
          operations: { replayed: [] },
          budget: new RequestBudget(),
          nextSlice: async () => void (slices.taken += 1),
        } as unknown as GraphqlContext,
      },
    );
    return body.kind === 'single' ? body.singleResult : undefined;
  };
  return { checker, documents, slices, execute };
}

// Counts steps instead of time, so that the result does not depend on the machine.
for (const [name, [document, code, variables]] of Object.entries(hostileDocuments)) {
  const isInvalid = code === 'GRAPHQL_VALIDATION_FAILED';
  test(`${name} is neither ${isInvalid ? '' : 'validated nor '}executed nor stored`, async (t) => {
    const { checker, documents, execute } = await open();
    const result = await execute(document, variables);
    t.is(result?.errors?.[0]?.extensions?.['code'], code);
    t.is(result?.data, undefined, 'not executed');
    t.is(checker.validated, isInvalid ? 1 : 0);
    t.is(documents.gets, 1, 'no other store, which would write the document as JSON');
    t.is(documents.tokens, 0);
  });

  test(`the limits of ${name} are checked by visiting a bounded number of nodes`, (t) => {
    let parsed: DocumentNode;
    try {
      parsed = parse(document, { maxTokens: documentLimits.tokens });
    } catch {
      t.pass('rejected by the parser');
      return;
    }
    let visited = 0;
    const counted = <T extends object>(node: T): T =>
      new Proxy(node, {
        get(target, property) {
          if (property === 'kind') visited += 1;
          const value: unknown = Reflect.get(target, property);
          return typeof value === 'object' && value !== null ? counted(value) : value;
        },
      });
    const options = { model, introspectionMax: introspectionCost(model) };
    const check = () => checkLimits(counted(parsed), variables, options);
    if (isInvalid) t.notThrows(check);
    else t.like(t.throws(check), { extensions: { code } });
    t.true(visited <= 30_000, `${visited} nodes`);
    t.log(`${visited} nodes`);
  });
}

test('a large document is parsed, checked, validated and executed in separate turns of the event loop', async (t) => {
  const { slices, execute } = await open();
  const large = `{ ${many(100, (n) => `a${n}: me { id }`)} }`;
  const slicesOf = async (document: string) => {
    slices.taken = 0;
    await execute(document);
    return slices.taken;
  };
  const stored = 2;
  t.is(await slicesOf(large), stored + 2);
  t.is(await slicesOf(large), stored + 2, 'a document is stored when it is sent again');
  t.is(await slicesOf(large), stored, 'a stored document is not parsed and validated again');
  t.is(await slicesOf('{ me { id } }'), 0);
});

test('stores valid documents, bounded by their total number of tokens', async (t) => {
  const { documents, execute } = await open();
  const same = '{ me { id } }';
  for (let n = 0; n < 4; n += 1) await execute(same);
  t.is(documents.tokens, 6, 'one copy');
  const hash = (n: number) => `hash-${n}`;
  const long = parse(`{ ${many(100, (n) => `a${n}: me { id }`)} }`, { maxTokens: 5000 });
  const tokens = long.tokenCount!;
  for (let n = 0; n < 1000; n += 1) {
    documents.keep(hash(n), { ...long, tokenCount: tokens });
    t.is(await documents.get(hash(n)), undefined, 'sent once');
    documents.keep(hash(n), { ...long, tokenCount: tokens });
  }
  t.true(documents.tokens <= 100_000 && documents.tokens > 90_000, String(documents.tokens));
  t.is(await documents.get(hash(0)), undefined, 'the oldest was evicted');
  t.truthy(await documents.get(`schema:${hash(999)}`));
});

test('documents that are sent once do not displace others', async (t) => {
  const documents = new DocumentStore();
  const document = { ...parse('{ me { id } }'), tokenCount: 5000 };
  for (const _ of ['first', 'again']) documents.keep('used', document);
  for (let n = 0; n < 5000; n += 1) documents.keep(`hash-${n}`, document);
  t.is(await documents.get('used'), document);
  t.is(documents.tokens, 5000);
});
