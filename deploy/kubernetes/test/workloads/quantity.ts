const factors: Record<string, number> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** `250m`, `160Mi`: cores and bytes. NaN if the text is not a quantity. */
export function parseQuantity(quantity: string | number | undefined): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(String(quantity)) ?? [];
  return Number(digits) * (factors[unit] ?? Number.NaN);
}
