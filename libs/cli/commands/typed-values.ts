import type { Roster } from '@roster/client';

type Value = string | number | boolean;

/** Texts that can mean a number or a boolean. */
const mayBeTyped = /^\s*(?:[+-]?[.\d]|true$|false$|yes$|no$)/i;

/** Values of `name=value` as the types of their properties have them. Those that mean none are left to the API, which says why. */
export async function typedValues(
  roster: Roster,
  texts: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal,
): Promise<Record<string, Value> | undefined> {
  if (!texts || !Object.values(texts).some((text) => mayBeTyped.test(text))) return texts;
  const values: Record<string, Value> = { ...texts };
  for await (const { name, type } of roster.contactProperties.list({}, { signal })) {
    const text = Object.hasOwn(texts, name) ? texts[name]!.trim().toLowerCase() : '';
    if (text === '') continue;
    if (type === 'number' && !Number.isNaN(Number(text))) values[name] = Number(text);
    if (type === 'boolean' && /^(?:true|yes|1)$/.test(text)) values[name] = true;
    if (type === 'boolean' && /^(?:false|no|0)$/.test(text)) values[name] = false;
  }
  return values;
}
