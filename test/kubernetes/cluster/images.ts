import { fileURLToPath } from 'node:url';
import type { Settings } from '../settings.js';
import { runProgram } from './kubectl.js';

/** Built from this checkout unless another image is given. */
const built = 'roster:dev';

const buildTimeoutMs = 900_000;
const loadTimeoutMs = 300_000;

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The image that is installed, and the one that it is updated to. */
export interface Images {
  first: string;
  /** Undefined if none is given and only the cluster can pull the first one. */
  next?: string;
}

/**
 * Builds the image unless one is given, adds a second tag unless another image is given, and loads both into the
 * cluster.
 */
export async function provideImages({ image, imageNext, imageLoad }: Settings): Promise<Images> {
  if (image === undefined)
    await runProgram('npm', ['--prefix', root, 'run', 'image'], { timeoutMs: buildTimeoutMs });
  const first = image ?? built;
  const [program, ...args] = imageLoad;
  if (program === undefined)
    return { first, ...(imageNext === undefined ? {} : { next: imageNext }) };
  const next = imageNext ?? `${first}-next`;
  if (imageNext === undefined) await tag(first, next);
  for (const name of [first, next])
    await runProgram(program, [...args, name], { timeoutMs: loadTimeoutMs });
  return { first, next };
}

/** Uses the tool that has the image. */
async function tag(name: string, other: string): Promise<void> {
  const tools = ['docker', 'podman', 'buildah'];
  for (const tool of tools) {
    try {
      return void (await runProgram(tool, ['tag', name, other]));
    } catch {
      // Not installed, or without this image.
    }
  }
  throw new Error(`None of ${tools.join(', ')} has an image ${name}.`);
}
