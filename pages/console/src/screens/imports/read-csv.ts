export type Delimiter = ',' | ';' | '\t' | '|';

/** Rows that are not empty. The last one of a text that goes on is left out. */
export function rowsOf(
  text: string,
  from: number,
  delimiter: Delimiter,
  rowsMax: number,
  isWhole: boolean,
): string[][] {
  const rows: string[][] = [];
  let at = from;
  while (at < text.length && rows.length < rowsMax) {
    const { cells, end } = rowAt(text, at, delimiter);
    if (end >= text.length && !isWhole) break;
    if (cells.some((cell) => cell.trim() !== '')) rows.push(cells);
    at = end;
  }
  return rows;
}

function rowAt(
  text: string,
  start: number,
  delimiter: Delimiter,
): { cells: string[]; end: number } {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const opened = /^ *"/.exec(text.slice(at, at + 64));
    let cell: string;
    if (opened) {
      const quoted = /[^"]*(?:""[^"]*)*"(?!")/y;
      quoted.lastIndex = at + opened[0].length;
      const found = quoted.exec(text);
      // A quote that nothing closes: the row is refused up to its line break.
      if (!found) return { cells, end: lineEnd(text, at) };
      cell = found[0].slice(0, -1).replaceAll('""', '"');
      at = quoted.lastIndex;
      while (text[at] === ' ') at += 1;
    } else {
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\r' && text[at] !== '\n')
        at += 1;
      cell = text.slice(from, at);
    }
    cells.push(cell);
    if (text[at] !== delimiter) return { cells, end: lineEnd(text, at) };
    at += 1;
  }
}

function lineEnd(text: string, from: number): number {
  const lineBreak = /\r\n?|\n/g;
  lineBreak.lastIndex = from;
  return lineBreak.exec(text) ? lineBreak.lastIndex : text.length;
}
