import { processesOf } from '../../../system/processes.js';
import type { Fault } from '../../random-faults.js';
import type { LimitedHome } from './limited-disk.js';
import { signal } from '../process-faults.js';

/** The disk of a server is full for a time. */
export const diskFaults = ({ home, disks }: LimitedHome): Fault[] => [
  {
    name: 'the disk of postgres is full',
    async inflict(wait) {
      await disks.postgres.fill();
      await wait();
      await disks.postgres.free();
      return true;
    },
  },
  {
    name: 'the disk of nats is full',
    async inflict(wait) {
      await disks.nats.fill();
      await wait();
      await disks.nats.free();
      // Without space, NATS disables JetStream until it is restarted. In the manifests, its liveness probe detects that.
      for (const pid of processesOf(home, 'nats')) signal(pid, 'SIGTERM');
      return true;
    },
  },
];
