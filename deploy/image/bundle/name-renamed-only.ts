/** The function that esbuild adds for `keepNames`, as it writes it. */
const helper = '__name=(target,value)=>__defProp(target,"name",{value,configurable:!0})';

/**
 * esbuild defines the name of every function again, each time it is created, although it has renamed only a few: 0.18 µs for each
 * inner function of a request. Functions that have their name already are left as they are. Source maps stay valid, because the
 * line of the helper contains no other sources.
 */
export function nameRenamedOnly(code: string): string {
  if (!code.includes(helper)) throw new Error('esbuild writes its helper for names differently');
  return code.replace(helper, helper.replace('=>', '=>target.name===value?target:'));
}
