/** How the image was made: SLSA provenance 1.0 in an in-toto statement. */
export interface Made {
  image: string;
  digest: string;
  revision: string;
  source: string | undefined;
  base: { reference: string; digest: string };
  /** SHA-256 of package-lock.json. */
  lockFile: string;
  platforms: readonly string[];
}

export function provenance(made: Made): object {
  const { image, digest, revision, source, base, lockFile, platforms } = made;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: image, digest: digestSet(digest) }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:roster:npm-run-release:1',
        externalParameters: { revision, base: base.reference, platforms },
        resolvedDependencies: [
          { uri: `git+${source ?? 'urn:roster'}`, digest: { gitCommit: revision } },
          { uri: base.reference, digest: digestSet(base.digest) },
          { uri: 'package-lock.json', digest: digestSet(lockFile) },
        ],
      },
      // Without times and machines: the same commit makes the same statement.
      runDetails: { builder: { id: 'urn:roster:npm-run-release' } },
    },
  };
}

function digestSet(digest: string): Record<string, string> {
  const [algorithm = '', value = ''] = digest.split(':');
  return { [algorithm]: value };
}
