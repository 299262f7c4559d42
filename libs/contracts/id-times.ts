/** Of version 7 UUIDs (RFC 9562): milliseconds, a counter of 12 bits that is shown as microseconds, random bits. */

/** Until 0.4.0: IDs of 0.2.0 can have greater counters, up to 4,095. They are shown as the last microsecond. */
export const counterMax = 999;

/** Creation time, in milliseconds since the epoch. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Creation time with microseconds, as RFC 3339: of two IDs of an `IdClock`, the greater has the later one. */
export function instantOfId(id: string): string {
  const micros = Math.min(Number.parseInt(id.slice(15, 18), 16), counterMax);
  return `${new Date(timeOfId(id)).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Precedes all IDs of a time, and follows those of earlier ones. */
export const firstIdAt = (ms: number): string => idOf(ms, '', '0');

/** Follows all IDs of a time, and precedes those of later ones. */
export const lastIdAt = (ms: number): string => idOf(ms, '', 'f');

/** As `firstIdAt`, for a time in UTC with six digits of a second: see `inputInstant`. */
export const firstIdAtInstant = (instant: string): string =>
  idOf(msOf(instant), counterOf(microsOf(instant)), '0');

/** As `lastIdAt`, for a time in UTC with six digits of a second. */
export function lastIdAtInstant(instant: string): string {
  const micros = microsOf(instant);
  return idOf(msOf(instant), micros === counterMax ? '' : counterOf(micros), 'f');
}

/** The first ID with the time of another one, to the microsecond. */
export const firstIdBeside = (id: string): string => `${id.slice(0, 18)}-0000-000000000000`;

/** The last ID with the time of another one, to the microsecond. */
export const lastIdBeside = (id: string): string => `${id.slice(0, 18)}-ffff-ffffffffffff`;

const msOf = (instant: string): number => Date.parse(`${instant.slice(0, 23)}Z`);
const microsOf = (instant: string): number => Number(instant.slice(23, 26));
const counterOf = (micros: number): string => `7${micros.toString(16).padStart(3, '0')}`;

function idOf(ms: number, counter: string, digit: string): string {
  // Before 1970 there are none.
  const all =
    ms < 0 ? '0'.repeat(32) : `${ms.toString(16).padStart(12, '0')}${counter}`.padEnd(32, digit);
  return all.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
