import test, { type ExecutionContext } from 'ava';

import { buildVariant } from './build/build-variant.js';
import { findKustomize } from '@roster/kubernetes/kustomize';
import type { Manifests } from './build/manifests.js';
import type { Variant } from './build/variants.js';

const kustomize = await findKustomize();
if (!kustomize)
  console.log(
    'Tests of the manifests are skipped: they require a recent kubectl or kustomize, or Go to build it.',
  );

/** A test of the kustomize output of base or an overlay. Each test gets a copy that it may change. */
export function testBuilt(
  title: string,
  of: Variant,
  check: (t: ExecutionContext, manifests: Manifests) => void | Promise<void>,
): void {
  if (!kustomize) {
    test.skip(title, () => {});
    return;
  }
  test.serial(title, async (t) => check(t, await buildVariant(kustomize, of)));
}
