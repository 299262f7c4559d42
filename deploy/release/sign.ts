import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Published } from './make-release.js';

const run = promisify(execFile);

/** Without the public log of Sigstore: only who has the public key verifies, and nobody else is told. */
const keyed = ['--yes', '--tlog-upload=false', '--use-signing-config=false'];

/**
 * Signs image, chart and manifests with cosign, and the provenance and SBOM of the image as attestations.
 *
 * @param key a file, or the URL of a key management service, as `cosign --key` takes it. Its password is in COSIGN_PASSWORD
 */
export async function sign(
  cosign: string,
  key: string,
  published: Published,
  sbomFile: string,
): Promise<void> {
  const { image, chart, manifests, provenance } = published;
  const work = await mkdtemp(join(tmpdir(), 'roster-release-'));
  try {
    const predicate = join(work, 'provenance.json');
    await writeFile(predicate, JSON.stringify((provenance as { predicate: object }).predicate));
    for (const one of [image, chart, manifests])
      await run(cosign, ['sign', ...keyed, '--key', key, one]);
    for (const [type, file] of [
      ['slsaprovenance1', predicate],
      ['cyclonedx', sbomFile],
    ] as const)
      await run(cosign, [
        'attest',
        ...keyed,
        '--key',
        key,
        '--type',
        type,
        '--predicate',
        file,
        image,
      ]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
