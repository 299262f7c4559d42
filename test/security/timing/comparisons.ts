import { isSameDigest } from '@roster/process';

/** A comparison of two digests, and the form in which it takes them. */
export interface Comparison<Form> {
  formOf(digest: Buffer): Form;
  isSame(one: Form, other: Form): boolean;
}

const define = <Form>(comparison: Comparison<Form>) => comparison as Comparison<unknown>;

/** That of the product, and others that end at the first difference, by which the statistics are tried. */
export const comparisons = {
  isSameDigest: define<Buffer>({ formOf: (digest) => digest, isSame: isSameDigest }),
  '=== of hexadecimal digests': define<string>({
    formOf: (digest) => digest.toString('hex'),
    isSame: (one, other) => one === other,
  }),
  'a loop that ends at the first difference': define<Buffer>({
    formOf: (digest) => digest,
    isSame: (one, other) => one.every((byte, at) => byte === other[at]),
  }),
};

export type ComparisonName = keyof typeof comparisons;
