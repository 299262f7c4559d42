import { useState, useSyncExternalStore } from 'react';

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

// One clock for all times of the page.
let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 10_000);
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const relativeLong = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/**
 * A time in the reader's zone: relative for a day, then the date. UTC on hover.
 *
 * @param isInSentence without abbreviations
 */
export function Time({ at, isInSentence = false }: { at: string; isInSentence?: boolean }) {
  const ticked = useSyncExternalStore(subscribe, () => now);
  // What is shown first between two ticks is not in the future.
  const [mounted] = useState(() => Date.now());
  const current = Math.max(ticked, mounted);
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${absolute.format(date)} (${date.toISOString()})`}>
      {words(date, current, isInSentence ? relativeLong : relative)}
    </time>
  );
}

/** A time in full, in the reader's zone. */
export const FullTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={new Date(at).toISOString()}>
    {absolute.format(new Date(at))}
  </time>
);

function words(date: Date, current: number, format: Intl.RelativeTimeFormat): string {
  const seconds = (date.getTime() - current) / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return seconds > 5 ? format.format(Math.round(seconds), 'second') : 'just now';
  if (size < 3600) return format.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return format.format(Math.round(seconds / 3600), 'hour');
  return dayOnly.format(date);
}
