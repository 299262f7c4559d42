import { setTimeout as delay } from 'node:timers/promises';
import type { Phase } from './cluster-run.js';
import { thisRelease, type Release } from './release.js';
import type { Replica } from './replica.js';
import type { RunningCluster } from './running-cluster.js';

/** The time in which a kubelet or an operator detects a failure. */
const noticeMs = 500;

export const undisturbed: Phase = {
  name: 'undisturbed',
  strict: true,
  act: async () => undefined,
};

export const killStreamLeader: Phase = {
  name: "the stream's leader killed",
  strict: false,
  async act({ nats }, print) {
    const leader = await nats.leader();
    await nats.killNode(leader);
    print(`  ${leader} killed; ${await nats.leader(leader)} leads`);
    await nats.startNode(leader);
    await nats.inSync();
  },
};

export const killEachProcess: Phase = {
  name: 'each process killed',
  strict: false,
  async act(cluster, print) {
    for (const replica of cluster.replicas) {
      await replica.kill();
      await delay(noticeMs);
      await cluster.launch(replica);
      print(`  ${replica.id} killed and restarted`);
    }
  },
};

export const killPrimary: Phase = {
  name: 'the primary killed, the standby promoted',
  strict: false,
  async act(cluster) {
    await cluster.losePrimary();
    await delay(noticeMs);
    await cluster.promoteStandby();
  },
};

/** As an operator of PostgreSQL does before maintenance: the standby has everything when it is promoted. */
export const switchOver: Phase = {
  name: 'PostgreSQL switched over',
  strict: true,
  async act(cluster) {
    await cluster.postgres.primary.stop();
    await cluster.promoteStandby();
  },
};

export const loseNode: Phase = {
  name: 'a NATS node permanently lost',
  strict: false,
  async act({ nats }, print) {
    const leader = await nats.leader();
    await nats.killNode(leader);
    print(`  ${leader} lost; ${await nats.leader(leader)} leads`);
    await nats.inSync();
  },
};

/** Kills the processes one by one. */
export const rollingRestart: Phase = {
  name: 'rolling restart of everything',
  strict: true,
  act: (cluster, print) =>
    roll(
      cluster,
      cluster.replicas.map((replica) => [replica]),
      thisRelease,
      print,
    ),
};

/** Kills one replica of each process simultaneously, then the others. */
export const restartInHalves: Phase = {
  name: 'restart of one half, then of the other',
  strict: true,
  act: (cluster, print) => roll(cluster, halvesOf(cluster), thisRelease, print),
};

/** Replaces one replica of each process with the other release, and then with this release again. */
export const runBeside = (former: Release): Phase[] =>
  [former, thisRelease].map((release) => ({
    name: release === former ? `half of the processes from ${former.name}` : 'back to this release',
    strict: true,
    act: (cluster, print) =>
      roll(
        cluster,
        halvesOf(cluster)[1]!.map((replica) => [replica]),
        release,
        print,
      ),
  }));

const halvesOf = ({ replicas }: RunningCluster): Replica[][] =>
  [0, 1].map((half) => replicas.filter((_, at) => at % 2 === half));

/** Stops and restarts the processes group by group. */
export async function roll(
  cluster: RunningCluster,
  groups: readonly Replica[][],
  release: Release,
  print: (line: string) => void,
): Promise<void> {
  for (const group of groups) {
    await Promise.all(group.map((replica) => replica.stop()));
    await Promise.all(group.map((replica) => cluster.launch(replica, release)));
    print(`  ${group.map(({ id }) => id).join(', ')} restarted`);
  }
}
