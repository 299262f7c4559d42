import { readFileSync } from 'node:fs';

/** Recorded by RECORD_FORMER=1 npm test -- test/former/record.test.ts */
const directory = new URL('../../../test/former/release/', import.meta.url);

/** A recorded file of the former release, which upgrades begin from and rollbacks lead to. */
export const readFormer = (name: string): string => readFileSync(new URL(name, directory), 'utf8');

/** The former release: `commit` contains its files. */
export const formerRelease = JSON.parse(readFormer('release.json')) as {
  version: string;
  commit: string;
};
