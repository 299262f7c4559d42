import ipaddr from 'ipaddr.js';

/** The first and the last address of a range, and their neighbours outside of it. */
export function rangeEdges(cidr: string): string[] {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  const size = BigInt(bytes.length * 8);
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const rest = (1n << (size - BigInt(bits))) - 1n;
  const first = value & ~rest;
  return [first - 1n, first, first | rest, (first | rest) + 1n]
    .filter((edge) => edge >= 0n && edge < 1n << size)
    .map((edge) => format(edge, bytes.length));
}

function format(value: bigint, bytes: number): string {
  const hex = value.toString(16).padStart(bytes * 2, '0');
  return ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
}

/** Ranges that ipaddr.js does not classify as public unicast addresses. */
export function namedRanges(): string[] {
  const prototypes = [ipaddr.IPv4.prototype, ipaddr.IPv6.prototype] as unknown as {
    SpecialRanges: Record<string, [Address, number] | [Address, number][]>;
  }[];
  return prototypes
    .flatMap(({ SpecialRanges }) => Object.values(SpecialRanges))
    .flatMap((ranges) => (isList(ranges) ? ranges : [ranges]))
    .map(([address, bits]) => `${address.toString()}/${bits}`);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const isList = (ranges: [Address, number] | [Address, number][]): ranges is [Address, number][] =>
  Array.isArray(ranges[0]);
