import { setTimeout as delay } from 'node:timers/promises';
import {
  checkAutoscalers,
  checkCommandLine,
  checkDryRuns,
  checkInstallation,
  checkRestarts,
  createWorkspace,
} from './checks/installation.js';
import { checkAccidents, checkOperations, type Release } from './checks/disturbances.js';
import { checkIsolation, checkPodSecurity } from './checks/isolation.js';
import { checkBadRollout, checkMistakes } from './checks/misconfiguration.js';
import { UnderLoad, type RunningLoad } from './checks/under-load.js';
import { claimNamespace, deleteNamespaces, namespacesOfOthers } from './cluster/claim.js';
import { diagnose } from './cluster/diagnose.js';
import { send } from './cluster/exec.js';
import { provideImages } from './cluster/images.js';
import { applyObjects, kubectl } from './cluster/kubectl.js';
import { copyManifests, type ManifestCopy } from './cluster/manifests.js';
import { outside } from './cluster/names.js';
import { rolledOut, everythingReady } from './cluster/rollout.js';
import { waitUntil } from './cluster/wait-until.js';
import { PromiseViolated, type Journal } from './journal.js';
import { compareEvents } from './judge/events.js';
import type { Change } from './pods/load.js';
import type { ReceiverReport } from './pods/receiver.js';
import { SettingsError, type Part, type Settings } from './settings.js';

const deliveredWithinMs = 120_000;
/** Longer than the pause before a delivery is retried. */
const laterMs = 10_000;
const startTimeoutMs = 120_000;

/** The parts in order, on a cluster that is restored afterwards. */
export async function proveManifests(
  settings: Settings,
  journal: Journal,
  token: string,
): Promise<void> {
  await kubectl(['version', '--client']);
  const others = await namespacesOfOthers().catch((error: unknown) => {
    const why = (error as Error).message.trim().split('\n').at(-1);
    throw new SettingsError(`The cluster of KUBECONFIG does not respond: ${why}`);
  });
  if (others.length > 0 && !settings.force)
    throw new SettingsError(
      `The cluster has a namespace ${others.join(' and ')} that this test did not create: delete it, or use --force to delete it.`,
    );
  const images = await provideImages(settings);
  const first = await releaseOf(images.first);
  const next = images.next === undefined ? undefined : await releaseOf(images.next);
  try {
    await deleteNamespaces();
    await prove(settings, journal, { first, next, token });
  } catch (error) {
    for (const line of await diagnose()) journal.note(line);
    throw error;
  } finally {
    await first.manifests.discard();
    await next?.manifests.discard();
    if (!settings.keep) await deleteNamespaces();
  }
}

const releaseOf = async (image: string): Promise<Release> => ({
  image,
  manifests: await copyManifests(image),
});

interface Subject {
  first: Release;
  next: Release | undefined;
  token: string;
}

async function prove(
  settings: Settings,
  journal: Journal,
  { first, next, token }: Subject,
): Promise<void> {
  const { image, manifests } = first;
  const runs = (...parts: Part[]) => parts.some((part) => settings.parts.includes(part));
  if (runs('variants')) await checkDryRuns(journal, manifests);
  const others = settings.parts.filter((part) => part !== 'variants');
  if (others.length === 0) return;
  await checkInstallation(journal, manifests, image);
  if (runs('installation')) await checkCommandLine(journal);

  const isLoaded = runs('operations', 'rollout', 'accidents');
  if (!isLoaded && !runs('isolation', 'mistakes')) return;
  const { apiKey } = await createWorkspace('Under load');
  await applyOutside(manifests, { apiKey, token, perSecond: String(settings.requestsPerSecond) });
  if (runs('isolation')) {
    await checkIsolation(journal, image);
    await checkPodSecurity(journal, image);
  }
  if (runs('mistakes')) await checkMistakes(journal);
  if (!isLoaded) return;

  await journal.require('with two of every process, everything is ready', async () => {
    await kubectl(['apply', '-k', manifests.path('test/kubernetes/overlay')]);
    await rolledOut();
    await everythingReady(startTimeoutMs);
  });
  if (runs('operations')) await checkAutoscalers(journal);
  await journal.require('a client subscribes and sends load', async () => {
    await waitUntil('the load to start', startTimeoutMs, () => send('load', '/start'));
  });
  const load = new UnderLoad(journal, loadInItsPod, settings);
  if (runs('operations')) {
    await checkOperations(load, journal, { first, next });
    await checkRestarts(journal, 'no other container was restarted');
  }
  if (runs('rollout')) await checkBadRollout(load);
  if (runs('accidents')) await checkAccidents(load);
  await checkEvents(journal, load);
}

const loadInItsPod: RunningLoad = {
  begin: (name) => send('load', `/begin?name=${encodeURIComponent(name)}`),
  stop: () => send('load', '/stop'),
};

/** The clients of Roster, in a separate namespace. */
async function applyOutside(
  manifests: ManifestCopy,
  access: { apiKey: string; token: string; perSecond: string },
): Promise<void> {
  const { apiKey, token, perSecond } = access;
  // The namespace must exist before its pods, which reference the Secret.
  await applyObjects([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: outside } }]);
  await claimNamespace(outside);
  await applyObjects([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'access', namespace: outside },
      stringData: { 'api-key': apiKey, token, 'per-second': perSecond },
    },
  ]);
  await kubectl(['apply', '-k', manifests.path('test/kubernetes/outside')]);
  await kubectl(['rollout', 'status', 'deployment', '-n', outside, '--timeout=110s'], {
    timeoutMs: startTimeoutMs,
  });
}

/** Compares acknowledged changes with deliveries, by ID. */
async function checkEvents(journal: Journal, load: UnderLoad): Promise<void> {
  await journal.check('after the last disturbance, every request is answered', async () => {
    const violations = await load.stop();
    if (violations.length > 0) throw new PromiseViolated(violations);
  });
  const acknowledged = await send<Change[]>('load', '/acknowledged');
  await journal.check(
    'every acknowledged change was delivered as one event, signed, and nothing else was',
    async () => {
      let report: ReceiverReport | undefined;
      try {
        await waitUntil('deliveries', deliveredWithinMs, async () => {
          report = await send<ReceiverReport>('receiver', '/report');
          return compareEvents(acknowledged, report).length === 0;
        });
        // Events of unacknowledged changes may arrive last.
        await delay(laterMs);
        report = await send<ReceiverReport>('receiver', '/report');
        const violations = compareEvents(acknowledged, report);
        if (violations.length > 0) throw new PromiseViolated(violations);
      } catch (error) {
        const violations = report ? compareEvents(acknowledged, report) : [];
        throw violations.length > 0 ? new PromiseViolated(violations) : error;
      }
      return `${acknowledged.length} changes, ${report.repeated} delivered more than once`;
    },
  );
}
