import { Counts } from './counts.js';
import { fairShare } from './fair-share.js';
import type { Recipient } from './recipient.js';

/** Attempts in flight to one host name, or to one address. */
interface Target {
  taken: number;
  workspaces: Counts;
  /** Webhooks that were refused, with their workspaces, in the order in which they may try again. */
  refused: Map<string, string>;
}

const addressesMax = 20_000;
const refusedMax = 10_000;

/**
 * Bounds the attempts in flight to one host name and to one address, whatever the number of webhooks. Workspaces share a target
 * fairly. The address of a host name is that of the last attempt to it.
 */
export class Targets {
  readonly #max: number;
  readonly #targets = new Map<string, Target>();
  /** By host name, in the order in which they were learned. */
  readonly #addresses = new Map<string, string>();
  /** By webhook, the keys under which each attempt in flight was counted: its address may be learned meanwhile. */
  readonly #counted = new Map<string, string[][]>();

  constructor(max: number) {
    this.#max = max;
  }

  learn({ hostname }: URL, address: string): void {
    if (this.#addresses.get(hostname) === address) return;
    this.#addresses.delete(hostname);
    this.#addresses.set(hostname, address);
    if (this.#addresses.size > addressesMax)
      this.#addresses.delete(this.#addresses.keys().next().value!);
  }

  /** Whether another attempt may begin. */
  hasRoom({ workspaceId, url }: Recipient): boolean {
    return this.#keysOf(url).every((key) => this.#shareOf(key, workspaceId) > 0);
  }

  add(recipient: Recipient): void {
    const keys = this.#keysOf(recipient.url);
    for (const key of keys) {
      const target = this.#open(key);
      target.taken += 1;
      target.workspaces.add(recipient.workspaceId);
    }
    const counted = this.#counted.get(recipient.id);
    if (counted) counted.push(keys);
    else this.#counted.set(recipient.id, [keys]);
  }

  remove(recipient: Recipient): void {
    const counted = this.#counted.get(recipient.id)!;
    const host = hostOf(recipient.url);
    // The URL of the webhook may have changed between its attempts in flight.
    const index = counted.findLastIndex(([key]) => key === host);
    for (const key of counted.splice(index, 1)[0]!) {
      const target = this.#targets.get(key)!;
      target.taken -= 1;
      target.workspaces.add(recipient.workspaceId, -1);
      this.#forget(key, target);
    }
    if (counted.length === 0) this.#counted.delete(recipient.id);
  }

  /** Records that a delivery of the webhook found no slot and waits in the queue. */
  refuse({ id, workspaceId, url }: Recipient): void {
    for (const key of this.#keysOf(url)) {
      if (this.#shareOf(key, workspaceId) > 0) continue;
      const { refused } = this.#targets.get(key)!;
      if (refused.size < refusedMax) refused.set(id, workspaceId);
    }
  }

  /** Whether webhooks were refused at the target of this one. */
  hasRefused({ url }: Recipient): boolean {
    return this.#keysOf(url).some((key) => this.#targets.get(key)?.refused.size);
  }

  /**
   * The refused webhooks that may try one delivery now, in turn and as many as the target has room for, and those that must wait.
   */
  nextRefused(): { tried: string[]; waiting: string[] } {
    const tried = new Set<string>();
    const waiting = new Set<string>();
    for (const [key, target] of this.#targets) {
      const trials = new Counts();
      let free = this.#max - target.taken;
      for (const [id, workspaceId] of [...target.refused]) {
        const share = this.#shareOf(key, workspaceId);
        if (free <= 0 || trials.of(workspaceId) >= share) {
          waiting.add(id);
          continue;
        }
        free -= 1;
        trials.add(workspaceId);
        tried.add(id);
        target.refused.delete(id);
        // It stays in the list until there is room for several attempts of each webhook.
        if (share <= this.#max / 4) target.refused.set(id, workspaceId);
      }
      this.#forget(key, target);
    }
    return { tried: [...tried].filter((id) => !waiting.has(id)), waiting: [...waiting] };
  }

  #shareOf(key: string, workspaceId: string): number {
    const target = this.#targets.get(key);
    if (!target) return this.#max;
    return fairShare(this.#max - target.taken, target.workspaces.of(workspaceId));
  }

  /** The host name first. */
  #keysOf(url: URL): string[] {
    const address = this.#addresses.get(url.hostname);
    const host = hostOf(url);
    return address === undefined || address === host ? [host] : [host, address];
  }

  #open(key: string): Target {
    let target = this.#targets.get(key);
    if (!target) {
      target = { taken: 0, workspaces: new Counts(), refused: new Map() };
      this.#targets.set(key, target);
    }
    return target;
  }

  #forget(key: string, { taken, refused }: Target): void {
    if (taken === 0 && refused.size === 0) this.#targets.delete(key);
  }
}

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
