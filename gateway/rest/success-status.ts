import type { HttpBinding } from '@roster/contracts';

/** Returns a function that determines the status of a successful response. */
export function statusReader({ status, statusWhen, statusUnless }: HttpBinding) {
  // Compared as bytes, which are not parsed.
  const start = statusUnless && Buffer.from(`{"${statusUnless.field}":true`);
  return (input: Record<string, unknown>, result: Uint8Array): number => {
    if (statusWhen && input[statusWhen.field] === true) return statusWhen.status;
    if (start && !start.equals(result.subarray(0, start.length))) return statusUnless.status;
    return status;
  };
}
