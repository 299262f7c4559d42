import { kubectlJson } from './kubectl.js';
import { nameLabel, namespace as rosterNamespace } from './names.js';

/** The fields of a pod that the checks read. */
export interface Pod {
  metadata: {
    name: string;
    uid: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: {
    containers: {
      name: string;
      image: string;
      ports?: { name?: string; containerPort: number; protocol?: string }[];
    }[];
    nodeName?: string;
  };
  status: {
    phase: string;
    podIP?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: {
      restartCount: number;
      state?: { waiting?: { reason?: string; message?: string } };
    }[];
  };
}

export async function listPods(namespace: string, selector?: string): Promise<Pod[]> {
  const { items } = await kubectlJson<{ items: Pod[] }>([
    'get',
    'pods',
    '-n',
    namespace,
    ...(selector ? ['-l', selector] : []),
  ]);
  return items;
}

/** Pods of one name in Roster's namespace that are neither terminating nor completed. */
export async function podsOf(name: string): Promise<Pod[]> {
  const pods = await listPods(rosterNamespace, `${nameLabel}=${name}`);
  return pods.filter(({ metadata, status }) => !metadata.deletionTimestamp && !isOver(status));
}

export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

export const isOver = ({ phase }: Pod['status']): boolean =>
  phase === 'Succeeded' || phase === 'Failed';
