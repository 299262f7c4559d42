export type Lock =
  | { taken: true; tookOver: boolean; release: () => void }
  | { taken: false; pid: number };
export function takeLock(file: string): Lock;
