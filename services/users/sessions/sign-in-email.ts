/**
 * What is compared of an address that signs in: ASCII letters without their case, everything else as it is. Other letters fold to
 * ASCII ones, U+212A to `k`, and their address may be another person's.
 */
export const signInEmailKey = (email: string): string =>
  email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
