import text from '../../../../../services/dispatcher/verifying-signatures.md?raw';

interface VerifyingFunction {
  /** "Python". */
  language: string;
  code: string;
}

/** The function of each language, as the documentation has it. */
export const verifyingFunctions: VerifyingFunction[] = text
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [, language, code] = /^(.+)\n[^]*?^```\w*\n([^]*?)^```/m.exec(section) ?? [];
    return language && code ? [{ language, code: code.trimEnd() }] : [];
  });

/** What the arguments are, from the same page, without its marks. */
export const argumentNotes: string[] = text
  .split(/^## /m)[0]!
  .split('\n')
  .filter((line) => line.startsWith('- '))
  .map((line) => line.slice(2));
