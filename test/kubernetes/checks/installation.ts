import { claimNamespace, deleteNamespaces } from '../cluster/claim.js';
import { roster } from '../cluster/exec.js';
import { applyObjects, CommandFailed, kubectl, kubectlJson } from '../cluster/kubectl.js';
import type { ManifestCopy } from '../cluster/manifests.js';
import { migratedBy } from '../cluster/migration.js';
import { namespace } from '../cluster/names.js';
import { listPods } from '../cluster/pods.js';
import { everythingReady } from '../cluster/rollout.js';
import { waitUntil } from '../cluster/wait-until.js';
import { PromiseViolated, type Journal } from '../journal.js';
import {
  changedObjects,
  dryRunFindings,
  unknownKinds,
  warnings,
  type DryRun,
} from '../judge/applied.js';
import { variants } from './variants.js';

const readyWithinMs = 120_000;
const applyTimeoutMs = 120_000;
const demo = 'deploy/kubernetes/overlays/demo';

/** Validates every variant of the manifests with the API server, without applying it. */
export async function checkDryRuns(journal: Journal, manifests: ManifestCopy): Promise<void> {
  // Objects are only validated in an existing namespace.
  await applyObjects([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: { 'pod-security.kubernetes.io/warn': 'restricted' },
      },
    },
  ]);
  await claimNamespace(namespace);
  const unknown = new Set<string>();
  for (const { name, folder } of await variants(manifests))
    await journal.check(`the API server accepts ${name}`, async () => {
      const judged = await dryRun(folder, manifests);
      for (const kind of unknownKinds(judged.stderr)) unknown.add(kind);
      const violations = dryRunFindings(judged).filter((line) => !isFine(line));
      if (violations.length > 0) throw new PromiseViolated(violations);
      return `${changedObjects(judged.stdout).length} objects`;
    });
  if (unknown.size > 0)
    journal.skip('objects of other kinds', `the cluster does not know ${[...unknown].join(', ')}`);
  await deleteNamespaces();
}

/** Warnings without consequences. */
const isFine = (line: string): boolean =>
  // This test created the namespace, without applying the manifests.
  line.includes(`namespaces/${namespace} is missing the kubectl.kubernetes.io/last-applied`) ||
  // The Job is named after the image's tag, which is a version; no name of its pod is resolved.
  line.includes('a DNS label is recommended: [must not contain dots]');

async function dryRun(folder: string, manifests: ManifestCopy): Promise<DryRun> {
  // kubectl's discovery cache may contain kinds that no longer exist.
  const cache = `--cache-dir=${manifests.path('kubectl-cache')}`;
  const args = ['apply', '-k', folder, '--dry-run=server', '--validate=strict', cache];
  try {
    return { ...(await kubectl(args, { timeoutMs: applyTimeoutMs })), failed: false };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    // If the cluster does not know a kind, kubectl fails after validating all other objects.
    return { stdout: error.stdout, stderr: error.stderr, failed: true };
  }
}

/** Installs the demo on an empty cluster. */
export async function checkInstallation(
  journal: Journal,
  manifests: ManifestCopy,
  image: string,
): Promise<void> {
  const apply = () => kubectl(['apply', '-k', manifests.path(demo)], { timeoutMs: applyTimeoutMs });
  const startedAt = performance.now();
  await journal.require('the demo is applied in one step, without a warning', async () => {
    const { stdout, stderr } = await apply();
    await claimNamespace(namespace);
    if (warnings(stderr).length > 0) throw new PromiseViolated(warnings(stderr));
    return `${changedObjects(stdout).length} objects`;
  });
  await journal.require('every pod is ready within two minutes', async () => {
    const spentMs = performance.now() - startedAt;
    await everythingReady(readyWithinMs - spentMs);
    return `${Math.round((performance.now() - startedAt) / 1000)} s after it was applied`;
  });
  await checkRestarts(journal, 'no container was restarted');
  await journal.check('the schemas were migrated once, by the Job of the image', async () => {
    await migratedBy([image]);
  });
  await journal.check('applying it again changes nothing', async () => {
    const before = await generations();
    const changed = changedObjects((await apply()).stdout);
    const after = await generations();
    // kubectl always sends the selector of a budget and volume claim templates. The server detects no change.
    const violations = changed.filter((line) => {
      const name = line.split(' ')[0]!;
      return after.get(name) === undefined || after.get(name) !== before.get(name);
    });
    if (violations.length > 0) throw new PromiseViolated(violations);
  });
}

/** Restarted containers, which callers may not notice. */
export async function checkRestarts(journal: Journal, promise: string): Promise<void> {
  await journal.check(promise, async () => {
    const restarted = (await listPods(namespace)).filter(({ status }) =>
      status.containerStatuses?.some(({ restartCount }) => restartCount > 0),
    );
    if (restarted.length > 0)
      throw new PromiseViolated(restarted.map(({ metadata }) => metadata.name));
  });
}

interface Generated {
  apiVersion: string;
  kind: string;
  metadata: { name: string; generation?: number };
}

/** The generation of each object, by the name that kubectl prints. */
async function generations(): Promise<Map<string, number | undefined>> {
  const kinds = 'deployments,statefulsets,poddisruptionbudgets';
  const { items } = await kubectlJson<{ items: Generated[] }>(['get', kinds, '-n', namespace]);
  return new Map(
    items.map(({ apiVersion, kind, metadata }) => [
      `${kind.toLowerCase()}.${apiVersion.split('/')[0]}/${metadata.name}`,
      metadata.generation,
    ]),
  );
}

/** The first steps of an operator. */
export async function createWorkspace(name: string): Promise<{ userId: string; apiKey: string }> {
  return roster<{ userId: string; apiKey: string }>(
    ...['workspace', 'create', '--name', name],
    ...['--owner-email', 'owner@example.com', '--owner-name', 'Owner'],
  );
}

export async function checkCommandLine(journal: Journal): Promise<void> {
  await journal.check(
    'the command line in a pod creates a workspace and a key, as JSON',
    async () => {
      const { userId } = await createWorkspace('Command line');
      const { apiKey } = await roster<{ apiKey: string }>(
        ...['key', 'create', '--user', userId, '--scopes', 'api_user'],
      );
      if (!apiKey.startsWith('rsk_')) throw new Error('key create printed no key');
    },
  );
}

interface Autoscaler {
  metadata: { name: string };
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

export async function checkAutoscalers(journal: Journal): Promise<void> {
  const list = async () =>
    (await kubectlJson<{ items: Autoscaler[] }>(['get', 'hpa', '-n', namespace])).items;
  await journal.check('gateway and contacts have an autoscaler', async () => {
    const names = (await list()).map(({ metadata }) => metadata.name);
    const missing = ['gateway', 'contacts'].filter((name) => !names.includes(name));
    if (missing.length > 0) throw new Error(`none for ${missing.join(', ')}`);
  });
  const metrics = 'every autoscaler reads its metrics';
  if (!(await hasMetrics())) return journal.skip(metrics, 'the cluster has no metrics API');
  await journal.check(metrics, () =>
    waitUntil('ScalingActive', 180_000, async () => {
      const inactive = (await list()).flatMap(({ metadata, status }) => {
        const active = status?.conditions?.find(({ type }) => type === 'ScalingActive');
        return active?.status === 'True' ? [] : [`${metadata.name}: ${active?.message ?? 'none'}`];
      });
      if (inactive.length > 0) throw new PromiseViolated(inactive);
      return 'active';
    }),
  );
}

async function hasMetrics(): Promise<boolean> {
  try {
    await kubectl(['get', '--raw', '/apis/metrics.k8s.io/v1beta1']);
    return true;
  } catch {
    return false;
  }
}
