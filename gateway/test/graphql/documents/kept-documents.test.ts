import test from 'ava';
import { parse, type DocumentNode } from 'graphql';
import { documentsTokensMax } from '../../../graphql/document/limits.js';
import { documentStore } from '../../../graphql/http/open-apollo.js';

const keptOf = async (documents: readonly DocumentNode[]): Promise<number> => {
  const store = documentStore();
  for (const [index, document] of documents.entries()) await store.set(String(index), document);
  const found = await Promise.all(documents.map((_, index) => store.get(String(index))));
  return found.filter((document) => document !== undefined).length;
};
const copies = (text: string, count: number): DocumentNode[] =>
  Array<DocumentNode>(count).fill(parse(text));

test('keeps as many documents as their tokens allow, the last ones', async (t) => {
  const kept = await keptOf(copies('{ settings { strictProperties } }', 1000));
  t.is(kept, 1000);
  const many = copies(`{ ${'a '.repeat(1000)} }`, 200);
  const ofMany = await keptOf(many);
  t.true(ofMany * 1000 <= documentsTokensMax && ofMany > 80, `${ofMany} documents are kept`);
});

test('counts the comments of a document that is kept: each takes as much memory as a token', async (t) => {
  t.true((await keptOf(copies(`{ a }${'#\n'.repeat(16_000)}`, 100))) <= 6);
  t.true((await keptOf(copies(`{ a }${'#\r'.repeat(16_000)}`, 100))) <= 6);
});

test('counts the text of a document that is kept, which may be long without a token', async (t) => {
  const kept = await keptOf(copies(`{ a }${' '.repeat(32_000)}`, 2000));
  t.true(kept <= 640, `${kept} documents are kept`);
});
