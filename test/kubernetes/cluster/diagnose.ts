import { kubectl } from './kubectl.js';
import { namespace, outside } from './names.js';
import { isOver, isReady, listPods } from './pods.js';

const logLines = 15;

/** Diagnostics for readers without access to the cluster. */
export async function diagnose(): Promise<string[]> {
  try {
    const pods = await kubectl(['get', 'pods', '-n', namespace, '-o', 'wide']);
    const others = await kubectl(['get', 'pods', '-n', outside, '-o', 'wide']);
    const events = await kubectl([
      ...['get', 'events', '-n', namespace, '--sort-by=.lastTimestamp'],
    ]);
    return [
      ...pods.stdout.split('\n'),
      ...others.stdout.split('\n'),
      ...events.stdout.split('\n').slice(-20),
      ...(await logsOfUnready()),
    ];
  } catch (error) {
    return [String(error)];
  }
}

async function logsOfUnready(): Promise<string[]> {
  const unready = (await listPods(namespace)).filter((pod) => !isReady(pod) && !isOver(pod.status));
  const logs = await Promise.all(
    unready.map(async ({ metadata: { name } }) => {
      const args = ['logs', name, '-n', namespace, `--tail=${logLines}`, '--all-containers'];
      const { stdout } = await kubectl(args).catch((error: unknown) => ({ stdout: String(error) }));
      return [`log of ${name}:`, ...stdout.split('\n')];
    }),
  );
  return logs.flat();
}
