/** The smallest ID of an event at this moment: IDs begin with their time. */
export function momentId(moment: string | number): string {
  const ms = typeof moment === 'number' ? moment : Date.parse(moment);
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-0000-0000-000000000000`;
}

/** Smaller and greater than every ID. */
export const startOfIds = '00000000-0000-0000-0000-000000000000';
export const endOfIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
