/** What a test does in `npm test`, for which CI has minutes, and in `npm run test:long`. */
export const shortOrLong = <T>(short: T, long: T): T => (process.env.ROSTER_LONG ? long : short);
