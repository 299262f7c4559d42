/** Version of Roster, as in package.json. */
export const releaseVersion = '0.3.0';
