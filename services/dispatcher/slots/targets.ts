import { LRUCache } from 'lru-cache';
import type { Recipient } from '../webhooks/known-webhook.js';
import { Target, type Speed } from './target.js';

const addressesMax = 20_000;
const refusedMax = 10_000;
/** Refused webhooks of a target that are looked at when an attempt ends. A claim, twice a second, looks at all. */
const soughtMax = 32;

/**
 * Bounds the attempts in flight to one host name and to one address, whatever the number of webhooks. The address of a host name is
 * the one that the last attempt connected to.
 */
export class Targets {
  readonly #max: number;
  readonly #speedOf: (webhookId: string) => Speed;
  readonly #targets = new Map<string, Target>();
  /** By host name. */
  readonly #addresses = new LRUCache<string, string>({ max: addressesMax });
  /** By webhook, the keys under which each attempt in flight was counted: its address may be learned meanwhile. */
  readonly #counted = new Map<string, string[][]>();

  constructor(max: number, speedOf: (webhookId: string) => Speed) {
    this.#max = max;
    this.#speedOf = speedOf;
  }

  learn({ hostname }: URL, address: string): void {
    if (this.#addresses.get(hostname) !== address) this.#addresses.set(hostname, address);
  }

  /** Whether another attempt may begin. */
  hasRoom(recipient: Recipient): boolean {
    return this.#keysOf(recipient.url).every((key) => this.#shareOf(key, recipient) > 0);
  }

  add(recipient: Recipient): void {
    const keys = this.#keysOf(recipient.url);
    for (const key of keys) this.#open(key).add(recipient);
    const counted = this.#counted.get(recipient.id);
    if (counted) counted.push(keys);
    else this.#counted.set(recipient.id, [keys]);
  }

  /**
   * Counts an attempt in flight for an address that it connects to, unless it was counted when it began. Returns false if there is
   * no room for it. An attempt that tries several addresses is counted for each.
   */
  reach(recipient: Recipient, address: string): boolean {
    const host = hostOf(recipient.url);
    if (address === host) return true;
    if (!this.#addresses.has(recipient.url.hostname)) this.learn(recipient.url, address);
    const counted = this.#counted.get(recipient.id) ?? [];
    const keys = counted.find((some) => some[0] === host && !some.includes(address));
    if (!keys) return true;
    if (this.#shareOf(address, recipient) <= 0) return false;
    this.#open(address).add(recipient);
    keys.push(address);
    return true;
  }

  remove(recipient: Recipient): void {
    const counted = this.#counted.get(recipient.id)!;
    const host = hostOf(recipient.url);
    // The URL of the webhook may have changed between its attempts in flight.
    const index = counted.findLastIndex(([key]) => key === host);
    for (const key of counted.splice(index, 1)[0]!) {
      const target = this.#targets.get(key)!;
      target.remove(recipient);
      this.#forget(key, target);
    }
    if (counted.length === 0) this.#counted.delete(recipient.id);
  }

  /** Records that a delivery of the webhook found no slot and waits in the queue. */
  refuse(recipient: Recipient): void {
    for (const key of this.#keysOf(recipient.url)) {
      if (this.#shareOf(key, recipient) > 0) continue;
      const { refused } = this.#targets.get(key)!;
      if (refused.size < refusedMax) refused.set(recipient.id, recipient);
    }
  }

  /** Whether one of the next webhooks that were refused at the target of this one may try again. */
  mayRetry({ url }: Recipient): boolean {
    return this.#keysOf(url).some((key) => {
      const target = this.#targets.get(key);
      let seen = 0;
      for (const refused of target?.refused.values() ?? []) {
        if (target!.shareOf(refused) > 0) return true;
        if (++seen === soughtMax) break;
      }
      return false;
    });
  }

  /**
   * The refused webhooks that may try one delivery now, in turn and as many as the target has room for, and those that must wait.
   */
  nextRefused(): { tried: string[]; waiting: string[] } {
    const tried = new Set<string>();
    const waiting = new Set<string>();
    for (const [key, target] of this.#targets) {
      const trials: Recipient[] = [];
      for (const recipient of [...target.refused.values()]) {
        const { id } = recipient;
        if (target.shareOf(recipient) === 0) {
          waiting.add(id);
          continue;
        }
        tried.add(id);
        target.refused.delete(id);
        if (!target.isAmple(recipient)) target.refused.set(id, recipient);
        target.add(recipient);
        trials.push(recipient);
      }
      for (const recipient of trials) target.remove(recipient);
      this.#forget(key, target);
    }
    return { tried: [...tried].filter((id) => !waiting.has(id)), waiting: [...waiting] };
  }

  #shareOf(key: string, recipient: Recipient): number {
    return this.#targets.get(key)?.shareOf(recipient) ?? this.#max;
  }

  /** The host name first. */
  #keysOf(url: URL): string[] {
    const address = this.#addresses.get(url.hostname);
    const host = hostOf(url);
    return address === undefined || address === host ? [host] : [host, address];
  }

  #open(key: string): Target {
    let target = this.#targets.get(key);
    if (!target) this.#targets.set(key, (target = new Target(this.#max, this.#speedOf)));
    return target;
  }

  #forget(key: string, target: Target): void {
    if (target.isUnused) this.#targets.delete(key);
  }
}

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
