import { readFileSync } from 'node:fs';

/** A part of a process's memory. */
export interface Region {
  address: number;
  bytes: number;
}

/** From `Elf64_Ehdr`, `Elf64_Shdr` and `Elf64_Sym` of elf(5). */
const sectionHeadersAt = 40;
const sectionHeaderBytesAt = 58;
const dynamicSymbols = 11;
const symbolBytes = 24;

/** The vDSO that the kernel mapped into the process: the functions with which programs read clocks without a system call. */
export function vdsoOf(pid: number): Region {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
  const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(maps) ?? [];
  if (from === undefined || to === undefined) throw new Error(`process ${pid} has no vDSO`);
  const address = Number.parseInt(from, 16);
  return { address, bytes: Number.parseInt(to, 16) - address };
}

/** The functions of a vDSO by name, with their addresses from its beginning. */
export function functionsOf(vdso: Buffer): Map<string, Region> {
  const functions = new Map<string, Region>();
  const sections = sectionsOf(vdso);
  for (const { type, offset, size, link } of sections) {
    if (type !== dynamicSymbols) continue;
    const names = sections[link]!.offset;
    for (let at = offset; at < offset + size; at += symbolBytes) {
      const name = names + vdso.readUInt32LE(at);
      functions.set(vdso.toString('latin1', name, vdso.indexOf(0, name)), {
        address: Number(vdso.readBigUInt64LE(at + 8)),
        bytes: Number(vdso.readBigUInt64LE(at + 16)),
      });
    }
  }
  return functions;
}

function sectionsOf(vdso: Buffer) {
  const headers = Number(vdso.readBigUInt64LE(sectionHeadersAt));
  const headerBytes = vdso.readUInt16LE(sectionHeaderBytesAt);
  const count = vdso.readUInt16LE(sectionHeaderBytesAt + 2);
  return Array.from({ length: count }, (_, index) => {
    const at = headers + index * headerBytes;
    return {
      type: vdso.readUInt32LE(at + 4),
      offset: Number(vdso.readBigUInt64LE(at + 24)),
      size: Number(vdso.readBigUInt64LE(at + 32)),
      link: vdso.readUInt32LE(at + 40),
    };
  });
}
