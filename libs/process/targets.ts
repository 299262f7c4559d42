import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { z } from 'zod';
import { commaList, flag } from './config.js';

/** Configuration of the allowed addresses. */
export interface TargetRules {
  /** Ranges that are allowed although they are not public. This machine is allowed only by a range of loopback addresses. */
  allow: readonly string[];
  /** Ranges that are rejected although they are public. */
  deny: readonly string[];
  /** Whether plain HTTP is allowed. */
  allowHttp: boolean;
  /** Ports that are allowed in addition to 80, 443 and those from 1024. */
  allowPorts?: readonly number[];
  /** Ports that are rejected on the addresses in `allow`: those of servers that the dispatcher itself uses. */
  closedPorts?: readonly number[];
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Checks URLs and addresses. Neither resolves nor connects. */
export class TargetPolicy {
  readonly #allow: Range[];
  readonly #deny: Range[];
  readonly #allowHttp: boolean;
  readonly #allowPorts: ReadonlySet<number>;
  readonly #closedPorts: ReadonlySet<number>;

  /** @throws Error if a range is not in CIDR notation */
  constructor({ allow, deny, allowHttp, allowPorts = [], closedPorts = [] }: TargetRules) {
    this.#allow = allow.map((range) => ipaddr.parseCIDR(range));
    this.#deny = deny.map((range) => ipaddr.parseCIDR(range));
    this.#allowHttp = allowHttp;
    this.#allowPorts = new Set([80, 443, ...allowPorts]);
    this.#closedPorts = new Set(closedPorts);
  }

  /** Why a URL is rejected, or undefined. Its addresses are checked after its host is resolved. */
  refuseUrl(url: URL): string | undefined {
    const scheme = this.refuseScheme(url);
    if (scheme !== undefined) return scheme;
    if (url.username !== '' || url.password !== '') return 'credentials in the URL are not allowed';
    return this.refusePort(url);
  }

  /** Why the scheme of a URL is rejected, or undefined. */
  refuseScheme({ protocol }: URL): string | undefined {
    if (protocol === 'http:' && !this.#allowHttp) return 'plain HTTP is not allowed';
    if (protocol !== 'http:' && protocol !== 'https:') return `${protocol} is not allowed`;
    return undefined;
  }

  /** Why the port of a URL is rejected, or undefined. */
  refusePort(url: URL): string | undefined {
    const port = portOf(url);
    // Ports below are those of other protocols, such as SMTP and SSH.
    if (port < 1024 && !this.#allowPorts.has(port)) return `port ${port} is not allowed`;
    return undefined;
  }

  /** Why no address of a URL's host is allowed. Undefined if one is, or if the host is a name that must be resolved. */
  refuseKnownAddress(url: URL): string | undefined {
    const refusals = knownAddresses(url.hostname)?.map((address) =>
      this.refuseAddress(address, portOf(url)),
    );
    return refusals?.includes(undefined) ? undefined : refusals?.[0];
  }

  /** Why a port of an address is rejected, or undefined. */
  refuseAddress(text: string, port: number): string | undefined {
    if (!ipaddr.isValid(text)) return `${text} is not an IP address`;
    // A zone is an interface of this machine. No public address has one.
    if (text.includes('%')) return `${text} has a zone identifier`;
    const address = ipaddr.parse(text);
    const candidates = [address, ...embedded(address)];
    for (const each of candidates) {
      if (matches(each, this.#deny)) return `${text} is on the deny list`;
    }
    if (this.#allows(isMapped(address) ? embedded(address)[0]! : address)) {
      if (!this.#closedPorts.has(port)) return undefined;
      return `port ${port} belongs to a server of this system`;
    }
    for (const each of candidates) {
      const reason = notPublic(each);
      if (reason !== undefined) return `${text} is ${reason}`;
    }
    return undefined;
  }

  #allows(address: Address): boolean {
    const ranges = isThisMachine(address)
      ? this.#allow.filter(([range]) => isLoopback(range))
      : this.#allow;
    return matches(address, ranges);
  }
}

/** The port that a URL names, or that of its scheme. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

const isLoopback = (address: Address): boolean => address.range() === 'loopback';

/** Connections to an unspecified address (`0.0.0.0`, `::`) go to loopback. */
const isThisMachine = (address: Address): boolean =>
  isLoopback(address) || address.range() === 'unspecified';

const matches = (address: Address, ranges: readonly Range[]): boolean =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));

const isMapped = (address: Address): boolean =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();

/** Ranges of global unicast addresses that are not public, and that ipaddr.js does not know. https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6- */
export const special: readonly [range: string, reason: string][] = [
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.175.48.0/24', 'AS112'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  // The position of the IPv4 address depends on the network (RFC 8215).
  ['64:ff9b:1::/48', 'local translation'],
  ['100::/64', 'discard'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/23', 'IETF protocol assignments'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fec0::/10', 'site-local'],
];
const specialRanges = special.map(([range, reason]) => ({
  range: ipaddr.parseCIDR(range),
  reason,
}));

function notPublic(address: Address): string | undefined {
  for (const { range, reason } of specialRanges) {
    if (matches(address, [range])) return `reserved (${reason})`;
  }
  const range = address.range();
  // Their IPv4 address is checked too.
  if (isMapped(address) || matches(address, [nat64])) return undefined;
  if (range !== 'unicast') return rangeWords[range] ?? `reserved (${range})`;
  if (address instanceof ipaddr.IPv4 || matches(address, [globalUnicast])) return undefined;
  return 'not global unicast';
}

/** What an address of a range of ipaddr.js is. */
const rangeWords: Record<string, string> = {
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private (carrier-grade NAT)',
  loopback: 'a loopback address',
  linkLocal: 'link-local',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  unspecified: 'unspecified',
  reserved: 'reserved',
};

/** https://www.iana.org/assignments/ipv6-address-space */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
const localNat64 = ipaddr.parseCIDR('64:ff9b:1::/48');
const compatible = ipaddr.parseCIDR('::/96');
const isatap = [0x00005efe, 0x02005efe];

/** IPv4 addresses to which an IPv6 address may be translated or tunnelled. */
function embedded(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  const at = (start: number) => new ipaddr.IPv4(bytes.slice(start, start + 4));
  const found: ipaddr.IPv4[] = [];
  if (address.isIPv4MappedAddress()) found.push(address.toIPv4Address());
  if (matches(address, [nat64, localNat64, compatible])) found.push(at(12));
  // ::ffff:0:a.b.c.d, SIIT (RFC 2765)
  if (address.range() === 'rfc6145') found.push(at(12));
  if (address.range() === '6to4') found.push(at(2));
  if (address.range() === 'teredo') {
    found.push(at(4), new ipaddr.IPv4(bytes.slice(12, 16).map((byte) => byte ^ 0xff)));
  }
  const marker = ((bytes[8]! << 24) | (bytes[9]! << 16) | (bytes[10]! << 8) | bytes[11]!) >>> 0;
  if (isatap.includes(marker)) found.push(at(12));
  return found;
}

/** The IP address that a URL contains instead of a name, without brackets. The URL parser has normalized other notations. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) ? bare : undefined;
}

/** The addresses of a host that has the same ones everywhere: of a literal, and of localhost. Undefined for all others. */
export function knownAddresses(hostname: string): string[] | undefined {
  // https://www.rfc-editor.org/rfc/rfc6761#section-6.3
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const literal = literalAddress(hostname);
  return literal === undefined ? undefined : [literal];
}

const ranges = commaList.refine((all) => all.every((range) => ipaddr.isValidCIDR(range)), {
  error: 'must be CIDR ranges, separated by commas',
});

/** IP addresses and CIDR ranges. */
export const addressRanges = commaList.refine(
  (all) => all.every((one) => isAddress(one) || ipaddr.isValidCIDR(one)),
  { error: 'must be IP addresses or CIDR ranges, separated by commas' },
);

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** The allowed targets, for the service that stores webhooks and the one that sends to them. */
export const targetConfig = z.object({
  ALLOW_TARGETS: ranges.describe(
    'Addresses that webhooks may have besides public ones, separated by commas',
  ),
  DENY_TARGETS: ranges.describe('Addresses that webhooks may not have, separated by commas'),
  ALLOW_HTTP: flag
    .default(false)
    .describe(
      '`true` allows webhooks with `http:` URLs. Set the variables of targets the same for both processes: webhooks refuses URLs that dispatcher would not send to',
    ),
  ALLOW_PORTS: commaList
    .transform((all) => all.map(Number))
    .refine((all) => all.every((port) => Number.isInteger(port) && port > 0 && port < 65_536), {
      error: 'must be ports, separated by commas',
    })
    .describe('Ports that webhooks may have besides the default ones, separated by commas'),
});

/** @param closedPorts see `TargetRules` */
export const targetPolicyOf = (
  config: z.output<typeof targetConfig>,
  closedPorts: readonly number[] = [],
): TargetPolicy =>
  new TargetPolicy({
    allow: config.ALLOW_TARGETS,
    deny: config.DENY_TARGETS,
    allowHttp: config.ALLOW_HTTP,
    allowPorts: config.ALLOW_PORTS,
    closedPorts,
  });
