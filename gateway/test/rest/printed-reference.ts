import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operationTable } from './operation-table.js';

export const referenceFile = fileURLToPath(new URL('../../../README.md', import.meta.url));

const table = /^\| Request \|.*\n(?:\|.*\n)*/m;

/** The reference with an operation table generated from the contracts. */
export const printedReference = (): string =>
  readFileSync(referenceFile, 'utf8').replace(table, operationTable);
