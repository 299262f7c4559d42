import fc from 'fast-check';

/** Strings with NUL, lone surrogates, names of prototype members, right-to-left marks, SQL, and very long ones. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    '\u202e',
    '__proto__',
    'constructor',
    "'; drop table contacts; --",
    '%00',
    '../../etc',
  ),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'é'.repeat(length)),
);
