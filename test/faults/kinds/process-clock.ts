import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processStat } from '@roster/testing';
import { signal } from './process-faults.js';
import { functionsOf, vdsoOf, type Region } from './vdso.js';

/**
 * Machine code (x86-64) that replaces functions of the vDSO: the system call, followed by an addition to the seconds that it
 * returned. `secondsAt` is the position of the number of seconds.
 */
const replacements = {
  // clock_gettime(clock, time) shifts CLOCK_REALTIME (0) and CLOCK_REALTIME_COARSE (5), and no monotonic clock:
  // mov eax, 228; syscall; test edi, edi; jz 1f; cmp edi, 5; jne 2f; 1: add qword [rsi], seconds; 2: ret
  __vdso_clock_gettime: { code: 'b8e40000000f0585ff740583ff05750748810600000000c3', secondsAt: 19 },
  // gettimeofday(time, zone):
  // mov eax, 96; syscall; test rdi, rdi; jz 1f; add qword [rdi], seconds; 1: ret
  __vdso_gettimeofday: { code: 'b8600000000f054885ff740748810700000000c3', secondsAt: 15 },
  // time(time):
  // mov eax, 201; syscall; add rax, seconds; test rdi, rdi; jz 1f; mov [rdi], rax; 1: ret
  __vdso_time: { code: 'b8c90000000f054805000000004885ff7403488907c3', secondsAt: 9 },
};

/** The reason why the clock of this process cannot be changed; undefined if it can. */
export function whyClockIsFixed(pid: number): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'only the machine code of Linux on x86-64 is known';
  try {
    vdsoOf(pid);
    closeSync(openMemory(pid));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Sets the wall clock that processes read `seconds` ahead of the machine's, without the clocks that measure durations. Works
 * for every program, also without a C library, because it changes the vDSO in their memory. Children inherit it.
 *
 * @param pidsOf lists the processes, parents first
 * @returns whether there was a process
 */
export async function setClock(pidsOf: () => number[], seconds: number): Promise<boolean> {
  const stopped = new Set<number>();
  try {
    // A process may create others until it is stopped.
    for (
      let fresh = pidsOf();
      fresh.length > 0;
      fresh = pidsOf().filter((pid) => !stopped.has(pid))
    )
      for (const pid of fresh) if (signal(pid, 'SIGSTOP')) stopped.add(pid);
    await Promise.all([...stopped].map((pid) => setStoppedClock(pid, seconds)));
  } finally {
    for (const pid of stopped) signal(pid, 'SIGCONT');
  }
  return stopped.size > 0;
}

async function setStoppedClock(pid: number, seconds: number): Promise<void> {
  try {
    const memory = openMemory(pid);
    try {
      const patches = patchesFor(pid, memory, seconds);
      await stopOutside(pid, patches);
      for (const { address, code } of patches) writeSync(memory, code, 0, code.length, address);
    } finally {
      closeSync(memory);
    }
  } catch (error) {
    // It has exited.
    if (processStat(pid) !== undefined) throw error;
  }
}

interface Patch extends Region {
  code: Buffer;
}

function patchesFor(pid: number, memory: number, seconds: number): Patch[] {
  const vdso = vdsoOf(pid);
  const image = Buffer.alloc(vdso.bytes);
  readSync(memory, image, 0, vdso.bytes, vdso.address);
  const functions = functionsOf(image);
  return Object.entries(replacements).map(([name, { code: hex, secondsAt }]) => {
    const found = functions.get(name);
    const code = Buffer.from(hex, 'hex');
    if (!found || found.bytes < code.length) throw new Error(`the vDSO has no ${name} to replace`);
    code.writeInt32LE(seconds, secondsAt);
    return { address: vdso.address + found.address, bytes: code.length, code };
  });
}

/** Waits until every thread is stopped, and none in the middle of a function that is about to change. */
async function stopOutside(pid: number, patches: readonly Region[]): Promise<void> {
  const isInside = (at: number) =>
    patches.some(({ address, bytes }) => at > address && at < address + bytes);
  for (;;) {
    const threads = readdirSync(`/proc/${pid}/task`);
    if (threads.every((thread) => processStat(pid, thread)?.state === 'T')) {
      if (!threads.some((thread) => isInside(programCounterOf(pid, thread)))) return;
      signal(pid, 'SIGCONT');
      await delay(1);
      signal(pid, 'SIGSTOP');
    }
    await delay(1);
  }
}

/** The last field of `/proc/<pid>/task/<thread>/syscall`. */
const programCounterOf = (pid: number, thread: string): number =>
  Number(readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').trim().split(' ').at(-1));

const openMemory = (pid: number): number => openSync(`/proc/${pid}/mem`, 'r+');
