import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';

/** The reverse proxies whose information about the client's address is used. */
export class TrustedProxies {
  readonly #ranges = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param ranges in CIDR notation
   * @throws RangeError if one is invalid
   */
  constructor(ranges: readonly string[]) {
    this.#isEmpty = ranges.length === 0;
    for (const range of ranges) {
      const [address = '', bits = ''] = range.split('/');
      const version = isIP(address);
      const bitsMax = version === 4 ? 32 : 128;
      if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax)
        throw new RangeError(`${range} is not a CIDR range`);
      this.#ranges.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
    }
  }

  /** Whether an address belongs to a trusted proxy. An IPv4-mapped address is treated as IPv4. */
  trusts(address: string): boolean {
    return !this.#isEmpty && this.#ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }

  /**
   * The address of the client of a request: of the connection, unless it is a trusted proxy's. Then it is the last address in
   * `Forwarded` (RFC 7239) or `X-Forwarded-For` that is not a trusted proxy's: those before it are claimed by the client. A proxy
   * may add one header and pass on the other as the client sent it. Thus, if both are present and differ, neither is used.
   */
  addressOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    const address = socket.remoteAddress ?? '';
    if (address === '' || !this.trusts(address)) return address;
    const [first, second] = [forwardedIn(headers), addressesIn(headers)].flatMap((hops) =>
      hops.length > 0 ? [this.#lastUntrusted(hops, address)] : [],
    );
    return first === undefined || (second !== undefined && second !== first) ? address : first;
  }

  /** An address that is hidden or malformed ends the search at the proxy that passed it on. */
  #lastUntrusted(hops: readonly (string | undefined)[], proxy: string): string {
    let address = proxy;
    for (const hop of hops.toReversed()) {
      if (hop === undefined) return address;
      address = hop;
      if (!this.trusts(hop)) return address;
    }
    return address;
  }
}

/** Elements of `X-Forwarded-For`. Node joins repeated headers. */
function addressesIn(headers: IncomingHttpHeaders): (string | undefined)[] {
  const header = headers['x-forwarded-for'];
  return header === undefined ? [] : String(header).split(',').map(nodeIn);
}

// Separators within quoted strings are part of a value, for example of a `host` that the client sent.
const element = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;
const parameter = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/g;
const forParameter = /^for=(?:"((?:[^"\\]|\\.)*)"|([^"]*))$/i;

/** The `for` parameters of `Forwarded`. https://www.rfc-editor.org/rfc/rfc7239#section-4 */
function forwardedIn({ forwarded }: IncomingHttpHeaders): (string | undefined)[] {
  if (forwarded === undefined) return [];
  return (forwarded.match(element) ?? ['']).map((text) => {
    for (const pair of text.match(parameter) ?? []) {
      const [isFor, quoted, token] = forParameter.exec(pair.trim()) ?? [];
      if (isFor !== undefined) return nodeIn(quoted?.replaceAll(/\\(.)/g, '$1') ?? token ?? '');
    }
    return undefined;
  });
}

const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/;
const withPort = /^([\d.]+):\d{1,5}$/;

/** An address in its canonical form, without its port; undefined for `unknown` and names. */
function nodeIn(text: string): string | undefined {
  const node = text.trim();
  const address = (bracketed.exec(node) ?? withPort.exec(node))?.[1] ?? node;
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return undefined;
  return new SocketAddress({ address, family: version === 4 ? 'ipv4' : 'ipv6' }).address;
}

const mappedPrefix = '::ffff:';

/** The address of the client of a request, IPv4 also where the system writes it as IPv4-mapped IPv6. Empty if it is unknown. */
export function clientAddress(proxies: TrustedProxies, request: IncomingMessage): string {
  const address = proxies.addressOf(request);
  return address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : address;
}

/**
 * The network that is counted as one client: an IPv4 address, also as IPv4-mapped IPv6, or the /64 of an IPv6 address, because
 * hosts can use every address of their /64. https://www.rfc-editor.org/rfc/rfc6177
 *
 * @param address as written by the system (RFC 5952)
 */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
