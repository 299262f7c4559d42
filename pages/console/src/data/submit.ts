import { useState } from 'react';
import { Problem } from './problem.js';

interface Submission {
  isBusy: boolean;
  /** Why the last attempt was refused. */
  problem: Problem | undefined;
  /** The API's sentence about a field: `email`, `properties/city`. */
  errorOf: (field: string) => string | undefined;
  /** What concerns no field that is shown. */
  failure: string | undefined;
}

/**
 * Sends a form. What was typed stays until the request has succeeded.
 *
 * @param fields those that show their errors; others are part of `failure`
 */
export function useSubmit(fields: readonly string[] = []) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const submit = async (send: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await send();
    } catch (error) {
      setProblem(
        error instanceof Problem ? error : new Problem({ detail: (error as Error).message }),
      );
    } finally {
      setBusy(false);
    }
  };
  const isShown = problem?.errors.some(({ pointer }) =>
    fields.includes(pointer.replace(/^\/(?:input\/)?/, '')),
  );
  const submission: Submission = {
    isBusy,
    problem,
    errorOf: (field) => problem?.of(field),
    failure: problem && !isShown ? sentenceOf(problem) : undefined,
  };
  return [submit, submission] as const;
}

/** Errors of fields say more than the sentence about all of them. */
const sentenceOf = ({ message, errors }: Problem): string =>
  errors.length === 0
    ? message
    : errors.map(({ pointer, message: one }) => `${pointer.slice(1)} ${one}.`).join(' ');
