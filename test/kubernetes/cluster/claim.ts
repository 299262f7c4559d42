import { kubectl, kubectlJson } from './kubectl.js';
import { namespace, outside } from './names.js';

/** On every namespace that this test makes: others are left alone. */
const claimLabel = 'roster.example/made-by';
const claimValue = 'test-kubernetes';

const deletionTimeoutMs = 180_000;

interface Namespace {
  metadata: { name: string; labels?: Record<string, string> };
}

/** Namespaces of this test's names that it did not make. */
export async function namespacesOfOthers(): Promise<string[]> {
  const there = await existing();
  return there
    .filter(({ metadata }) => metadata.labels?.[claimLabel] !== claimValue)
    .map(({ metadata }) => metadata.name);
}

export async function claimNamespace(name: string): Promise<void> {
  await kubectl(['label', 'namespace', name, `${claimLabel}=${claimValue}`, '--overwrite']);
}

/** Deletes both namespaces with all that is in them, and waits until they are gone, unless told not to. */
export async function deleteNamespaces({ wait = true } = {}): Promise<void> {
  for (const { metadata } of await existing()) {
    const args = ['delete', 'namespace', metadata.name, `--wait=${wait}`, '--timeout=170s'];
    await kubectl(args, { timeoutMs: deletionTimeoutMs });
  }
}

async function existing(): Promise<Namespace[]> {
  const { items } = await kubectlJson<{ items: Namespace[] }>(['get', 'namespaces']);
  return items.filter(({ metadata }) => [namespace, outside].includes(metadata.name));
}
