import type { Manifests } from '../build/manifests.js';
import { containersOf, podsOf } from '../build/pods.js';
import { finding } from '../objects/finding.js';

/** Images without a version, and processes of Roster that do not run the same image. */
export function imageFindings(manifests: Manifests): string[] {
  const all = podsOf(manifests)
    .filter(({ byOperator }) => !byOperator)
    .flatMap((pods) => containersOf(pods).map((container) => ({ pods, container })));
  const roster = all.find(({ container }) => isRoster(container.image))?.container.image;
  return all.flatMap(({ pods, container: { name, image = '' } }) => {
    const at = `${pods.field}.spec.containers[${name}].image`;
    if (isRoster(image)) {
      return image === roster
        ? []
        : [finding(pods.manifest, at, `is ${image}, but ${roster} in other processes.`)];
    }
    return /[:@](?!latest$)[^/]+$/.test(image)
      ? []
      : [finding(pods.manifest, at, `is ${image || 'missing'}: set a version.`)];
  });
}

const isRoster = (image = ''): boolean => /(^|\/)roster([:@][^/]*)?$/.test(image);
