import { kubectl, kubectlJson } from './kubectl.js';
import { namespace, outside } from './names.js';

/** Label of every namespace that this test creates: other namespaces are not touched. */
const claimLabel = 'roster.example/made-by';
const claimValue = 'test-kubernetes';

const deletionTimeoutMs = 180_000;

interface Namespace {
  metadata: { name: string; labels?: Record<string, string> };
}

/** Existing namespaces with the names of this test that it did not create. */
export async function namespacesOfOthers(): Promise<string[]> {
  const there = await existing();
  return there
    .filter(({ metadata }) => metadata.labels?.[claimLabel] !== claimValue)
    .map(({ metadata }) => metadata.name);
}

export async function claimNamespace(name: string): Promise<void> {
  await kubectl(['label', 'namespace', name, `${claimLabel}=${claimValue}`, '--overwrite']);
}

/** Deletes both namespaces with all their objects, and waits until they are deleted, unless told otherwise. */
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
