/** A section: its address below `/docs`, its title, what it is a part of, and its text. */
export type SearchEntry = [href: string, title: string, part: string, text: string];

/** The entries that contain a word beginning with each word of the query, best first: titles before parts before text. */
export function search(entries: readonly SearchEntry[], query: string, most = 12): SearchEntry[] {
  const words = wordsOf(query).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** A part of the text around the first word of the query. */
export function excerptOf([, , , text]: SearchEntry, query: string, length = 110): string {
  const [first = ''] = wordsOf(query);
  const at = Math.max(0, text.toLowerCase().indexOf(first.slice(0, 12)) - 30);
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const end = text.length > from + length ? '…' : '';
  return (from > 0 ? '…' : '') + text.slice(from, from + length) + end;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const weights = [12, 6, 1];

function scoreOf([, ...texts]: SearchEntry, words: readonly string[]): number {
  const known = texts.map((text) => wordsOf(text));
  let sum = 0;
  for (const word of words) {
    let score = 0;
    known.forEach((own, place) => {
      const matches = own.filter((one) => one.startsWith(word)).length;
      // A short title is about its words more than a long one.
      if (matches > 0) score += weights[place]! * (1 + Math.min(matches, 5) / own.length);
      if (matches > 0 && place === 2) score += Math.min(matches, 4) / 2;
    });
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}
