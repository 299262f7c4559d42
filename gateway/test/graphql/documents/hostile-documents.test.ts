import { openLog } from '@roster/process';
import test from 'ava';
import { parse, type DocumentNode, type GraphQLError } from 'graphql';
import { buildRosterSchema } from '../../../graphql/build-schema.js';
import type { GraphqlContext } from '../../../graphql/context.js';
import { RequestBudget } from '../../../graphql/request/request-budget.js';
import { checkLimits, introspectionCost } from '../../../graphql/document/check-limits.js';
import { DocumentChecker } from '../../../graphql/document/document-checker.js';
import { documentLimits } from '../../../graphql/document/limits.js';
import { openApollo } from '../../../graphql/http/open-apollo.js';
import { hostileDocuments } from './hostile-documents.js';

const schema = buildRosterSchema();
const log = openLog('gateway', 'silent');

class CountingChecker extends DocumentChecker {
  validated = 0;

  override validate(document: DocumentNode): readonly GraphQLError[] {
    this.validated += 1;
    return super.validate(document);
  }
}

async function open() {
  const checker = new CountingChecker(schema, { introspection: true });
  const apollo = await openApollo({ schema, checker, log, introspection: true });
  const execute = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await apollo.executeOperation(
      { query, variables },
      // Every resolver fails with this context.
      {
        contextValue: {
          requestId: 'r',
          operations: { replayed: [] },
          budget: new RequestBudget(),
        } as unknown as GraphqlContext,
      },
    );
    return body.kind === 'single' ? body.singleResult : undefined;
  };
  return { checker, execute };
}

// Counts steps instead of time, so that the result does not depend on the machine.
for (const [name, [document, code, variables]] of Object.entries(hostileDocuments)) {
  const isInvalid = code === 'GRAPHQL_VALIDATION_FAILED';
  test(`${name} is neither ${isInvalid ? '' : 'validated nor '}executed`, async (t) => {
    const { checker, execute } = await open();
    const result = await execute(document, variables);
    t.is(result?.errors?.[0]?.extensions?.['code'], code);
    t.is(result?.data, undefined, 'not executed');
    t.is(checker.validated, isInvalid ? 1 : 0);
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
    const introspectionMax = introspectionCost(schema);
    const check = () => checkLimits(schema, counted(parsed), variables, introspectionMax);
    if (isInvalid) t.notThrows(check);
    else t.like(t.throws(check), { extensions: { code } });
    t.true(visited <= 30_000, `${visited} nodes`);
    t.log(`${visited} nodes`);
  });
}
