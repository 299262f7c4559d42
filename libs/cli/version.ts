/** The version of the release, that of package.json. */
export const version = '0.3.0';
