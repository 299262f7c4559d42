import test from 'ava';
import { email, emailKey, inputTimestamp } from '../text.js';

test('passes timestamps on in UTC with milliseconds, whatever their offset', (t) => {
  for (const [given, instant] of [
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T09:00:00+16:00', '2026-01-30T17:00:00.000Z'],
    ['2026-01-31T09:00:00-23:59', '2026-02-01T08:59:00.000Z'],
    ['2026-01-31T09:00:00.123456Z', '2026-01-31T09:00:00.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    t.is(inputTimestamp.parse(given), instant);
    // As a service parses it again.
    t.is(inputTimestamp.parse(instant), instant);
  }
});

test('rejects timestamps without a time or zone, and those that are not in years of four digits in UTC', (t) => {
  const shape = 'must have a time and a zone, as in 2026-01-31T09:00:00Z';
  const range = 'must be in the years 0001 to 9999 in UTC';
  for (const [given, message] of [
    ['2026-01-31', shape],
    ['2026-01-31T09:00:00', shape],
    ['2026-02-30T09:00:00Z', shape],
    ['2026-01-31T09:00:00+24:00', shape],
    ['yesterday', shape],
    ['0000-06-01T00:00:00Z', range],
    ['0001-01-01T00:00:00+00:01', range],
    ['9999-12-31T23:59:59-00:01', range],
  ] as const) {
    const { error } = inputTimestamp.safeParse(given);
    t.deepEqual(
      error?.issues.map((issue) => issue.message),
      [message],
      given,
    );
  }
});

const messageOf = (address: string) => email.safeParse(address).error?.issues[0]?.message;

test('accepts addresses of any script, with a domain in Unicode or punycode, as given', (t) => {
  for (const address of [
    'ada@example.com',
    'Ada.L+tag_1~x=y/z@sub.Example.co.uk',
    'ada@1.example',
    'ada@ab--cd.com',
    'ada@xn--exmple-cua.test',
    'ada@XN--EXMPLE-CUA.xn--p1ai',
    'ada@exa\u0308mple.test',
    'josé@exämple.test',
    '山田@日本。jp',
    'अदा@नी.com',
    'אדה@אב.com',
    'ada@faß.de',
    'ada@💩.la',
    `${'x'.repeat(64)}@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(57)}.com`,
  ])
    t.is(email.parse(address), address);
});

test('refuses domains that are not valid by the URL standard, and IPv4 addresses in any notation', (t) => {
  for (const domain of [
    'example.com-',
    '-example.com',
    'example-.com',
    'exa_mple.com',
    'example',
    'example.c',
    'example..com',
    'example.com.',
    '10.0.0.12',
    '10.12',
    '0x7f.1',
    'example.0x1f',
    'example.123',
    '１０.0.0.12',
    '[10.0.0.12]',
    'xn--.com',
    'xn--a.com',
    'xn--example.com',
    'xn--zzzzzz.com',
    'אa.com',
    '\u0300a.com',
    'ü%41.com',
    'ü/c.com',
    'ü.com:80',
    `${'a'.repeat(64)}.com`,
    `xn--${'a'.repeat(60)}.com`,
    `${'ü'.repeat(60)}.com`,
  ])
    t.regex(messageOf(`ada@${domain}`)!, /a domain name after it$/, domain);
});

test('refuses invisible, bidirectional, unassigned and private characters, and names them', (t) => {
  for (const code of [
    ...[0x00, 0x07, 0x7f, 0xad, 0x34f, 0x378, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d],
    ...[0x200e, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0x2800, 0x3164, 0xe000, 0xfe0f, 0xfeff],
    ...[0xffa0, 0xfff9, 0xd800, 0x1bca0, 0xe0061, 0xe0100, 0xf0000, 0x10fffd],
  ]) {
    const character = String.fromCodePoint(code);
    const shown = `U+${code.toString(16).toUpperCase().padStart(4, '0')},`;
    for (const address of [`a${character}da@example.com`, `ada@exa${character}mple.com`])
      t.true(messageOf(address)?.includes(shown), shown);
  }
  // ZWJ in punycode.
  t.truthy(messageOf('ada@xn--11b2ezcw70k.com'));
});

test('addresses that differ in case, composition, or the encoding of the domain have one key', (t) => {
  for (const [key, ...others] of [
    ['ada@example.com', 'ADA@Example.COM'],
    ['ada@exämple.test', 'Ada@EXÄMPLE.test', 'ada@exa\u0308mple.test', 'ada@xn--exmple-cua.test'],
    ['ada@exämple.test', 'ADA@XN--EXMPLE-CUA.TEST', 'ada@ｅｘä\u200bmple.test'],
    ['josé@example.com', 'jose\u0301@example.com', 'JOSÉ@example.com', 'JOSE\u0301@EXAMPLE.COM'],
    ['οδυσσευσ@example.com', 'ΟΔΥΣΣΕΥΣ@example.com', 'οδυσσευς@example.com'],
    ['ada@ασ.gr', 'ada@ΑΣ.gr', 'ada@ας.gr'],
    ['ёлка@рф.рф', 'ЁЛКА@РФ.РФ', 'е\u0308лка@xn--p1ai.xn--p1ai'],
    ['straße@faß.de', 'STRAẞE@FAẞ.de', 'straße@xn--fa-hia.de'],
    ['山田@日本.jp', '山田@日本。jp', '山田@xn--wgv71a.JP'],
  ] as const) {
    for (const each of [key, ...others]) t.is(emailKey(each), key, each);
  }
  for (const [one, another] of [
    ['straße@example.com', 'strasse@example.com'],
    ['ı@example.com', 'i@example.com'],
    ['é@example.com', 'e@example.com'],
    ['ada@faß.de', 'ada@fass.de'],
    ['xn--exmple-cua@example.com', 'exämple@example.com'],
  ] as const)
    t.not(emailKey(one), emailKey(another));
});

test('the key of every letter is that of its lower case and of itself, and the beginnings of a key are kept', (t) => {
  for (let code = 0; code < 0x1_1000; code += 1) {
    const letter = String.fromCodePoint(code);
    if (!/[\p{L}\p{M}]/u.test(letter)) continue;
    for (const address of [`x${letter}@example.com`, `ada@x${letter}.com`]) {
      const key = emailKey(address);
      if (emailKey(key) !== key || emailKey(address.toLowerCase()) !== key)
        t.fail(`${code.toString(16)} ${address} ${key}`);
    }
  }
  // What is typed into a search.
  for (const beginning of ['Jose\u0301', 'JOSÉ@', 'josé@10.0', 'ada@exÄm', 'ü%41', 'ü@a/b'])
    t.is(emailKey(beginning), beginning.normalize('NFC').toLowerCase());
});
