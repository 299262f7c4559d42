import { readNames, readOptions } from '../command-line/read-options.js';

/** In their order. What a part requires is done for it: each can be named alone. */
export const parts = [
  'variants',
  'installation',
  'isolation',
  'mistakes',
  'operations',
  'rollout',
  'accidents',
] as const;
export type Part = (typeof parts)[number];

export interface Settings {
  parts: readonly Part[];
  /** How long the load continues after every disturbance before it is evaluated. */
  seconds: number;
  requestsPerSecond: number;
  /** Keep all objects in the cluster at the end. */
  keep: boolean;
  /** Delete a namespace that this test did not create. */
  force: boolean;
  /** The image to test. Default: built from this checkout. */
  image?: string;
  /** The image to update to. Default: the same image under another tag, if a command loads images into the cluster. */
  imageNext?: string;
  /** The command that loads an image into the cluster, called with its name. Without it, the cluster pulls images. */
  imageLoad: string[];
}

export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Settings from the command line and the environment.
 *
 * @throws SettingsError, or OptionsError, with one line that contains the remedy
 */
export function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings {
  const defaults = { seconds: 5, rate: 20, keep: false, force: false };
  const { names, rest } = readNames(args, parts);
  const { seconds, rate, keep, force } = readOptions(rest, defaults);
  // Not kubectl's default configuration, which may refer to a cluster in use.
  if (!env.KUBECONFIG)
    throw new SettingsError(
      'KUBECONFIG is missing: set it to the configuration file of the cluster.',
    );
  const imageLoad = (env.IMAGE_LOAD ?? '').split(' ').filter((part) => part !== '');
  if (!env.IMAGE && imageLoad.length === 0)
    throw new SettingsError(
      'IMAGE_LOAD is missing: set it to the command that loads an image into the cluster (kind load docker-image), or set IMAGE to an image that the cluster can pull.',
    );
  return {
    parts: names,
    seconds,
    requestsPerSecond: rate,
    keep,
    force,
    imageLoad,
    ...imageOf('IMAGE', 'image', env),
    ...imageOf('IMAGE_NEXT', 'imageNext', env),
  };
}

function imageOf<Setting extends 'image' | 'imageNext'>(
  variable: string,
  setting: Setting,
  env: NodeJS.ProcessEnv,
): Partial<Record<Setting, string>> {
  const image = env[variable];
  if (!image) return {};
  // The migration's Job is named after the tag.
  if (!/^[^@]+:[a-z0-9][a-z0-9.-]*$/.test(image))
    throw new SettingsError(
      `${variable} must be name:tag without a digest, the tag of a-z, 0-9, "." and "-".`,
    );
  return { [setting]: image } as Record<Setting, string>;
}
