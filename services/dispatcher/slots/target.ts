import { Counts, fairShare } from './fair-share.js';
import type { Recipient } from '../webhooks/known-webhook.js';

/** How long the last attempt of a webhook took; `unknown` before its first. */
export type Speed = 'quick' | 'slow' | 'unknown';

/** Attempts that have a limit of their own. */
interface Group {
  max: number;
  taken: number;
  workspaces: Counts;
}

const groupOf = (max: number): Group => ({
  max: Math.ceil(max),
  taken: 0,
  workspaces: new Counts(),
});

interface OfWebhook {
  workspaceId: string;
  taken: number;
  group: Group;
}

/**
 * The attempts in flight to one host name or to one address. Workspaces share them, and so do the webhooks of each. Webhooks that
 * are not quick have at most half, whatever their number. A quarter is for the first attempts of others, and a new webhook beside
 * others makes one: beside many that hang, a new one can show that it is quick, and a quick one finds room.
 */
export class Target {
  /** Webhooks that were refused, in the order in which they may try again. */
  readonly refused = new Map<string, Recipient>();
  readonly #max: number;
  readonly #speedOf: (webhookId: string) => Speed;
  readonly #quick: Group;
  readonly #slow: Group;
  readonly #first: Group;
  /** The webhooks with attempts in flight. */
  readonly #webhooks = new Map<string, OfWebhook>();

  constructor(max: number, speedOf: (webhookId: string) => Speed) {
    this.#max = max;
    this.#speedOf = speedOf;
    this.#quick = groupOf(max);
    this.#slow = groupOf(max / 2);
    this.#first = groupOf(max / 4);
  }

  get isUnused(): boolean {
    return this.#webhooks.size === 0 && this.refused.size === 0;
  }

  /** How many more attempts of the webhook may begin. */
  shareOf(recipient: Recipient): number {
    return this.#roomFor(recipient).share;
  }

  /** Whether the webhook needs no turn: there is room for several attempts of each. */
  isAmple(recipient: Recipient): boolean {
    const { group, share } = this.#roomFor(recipient);
    return share > group.max / 4;
  }

  add(recipient: Recipient): void {
    const { id, workspaceId } = recipient;
    let webhook = this.#webhooks.get(id);
    if (!webhook) {
      webhook = { workspaceId, taken: 0, group: this.#roomFor(recipient).group };
      this.#webhooks.set(id, webhook);
    }
    webhook.taken += 1;
    count(webhook.group, workspaceId, 1);
  }

  remove({ id, workspaceId }: Recipient): void {
    const webhook = this.#webhooks.get(id)!;
    webhook.taken -= 1;
    count(webhook.group, workspaceId, -1);
    if (webhook.taken === 0) this.#webhooks.delete(id);
  }

  #roomFor({ id, workspaceId }: Recipient): { group: Group; share: number } {
    const webhook = this.#webhooks.get(id);
    const speed = this.#speedOf(id);
    const group = speed === 'quick' ? this.#quick : this.#slow;
    const others = this.#webhooks.size - (webhook ? 1 : 0);
    // A new webhook beside others makes one attempt until that has ended: among many that hang, it soon shows that it is quick.
    const isFirst = speed === 'unknown' && others > 0;
    if (webhook && (isFirst || (webhook.group === this.#first && speed === 'slow')))
      return { group: webhook.group, share: 0 };
    if (webhook) move(webhook, group);
    let share = this.#shareOf(group, workspaceId, webhook);
    if (share === 0 && speed === 'quick') {
      // Others may have begun to hang, and were quick when they took their share.
      for (const [otherId, other] of this.#webhooks)
        if (other.group === this.#quick && this.#speedOf(otherId) !== 'quick')
          move(other, this.#slow);
      share = this.#shareOf(group, workspaceId, webhook);
    }
    if (share > 0 && isFirst) return { group, share: 1 };
    if (share > 0 || speed !== 'unknown' || webhook) return { group, share };
    return { group: this.#first, share: Math.min(1, this.#shareOf(this.#first, workspaceId)) };
  }

  #shareOf(group: Group, workspaceId: string, webhook?: OfWebhook): number {
    const free = this.#max - this.#quick.taken - this.#slow.taken - this.#first.taken;
    const ofWorkspace = group.workspaces.of(workspaceId);
    const share = fairShare(Math.min(free, group.max - group.taken), ofWorkspace);
    const own = webhook?.taken ?? 0;
    if (own !== ofWorkspace) return fairShare(share, own);
    // The only one of its workspace leaves one attempt to the next.
    return share > 1 || own > 0 ? Math.max(0, share - 1) : share;
  }
}

function count(group: Group, workspaceId: string, change: number): void {
  group.taken += change;
  group.workspaces.add(workspaceId, change);
}

function move(webhook: OfWebhook, group: Group): void {
  if (webhook.group === group) return;
  count(webhook.group, webhook.workspaceId, -webhook.taken);
  count(group, webhook.workspaceId, webhook.taken);
  webhook.group = group;
}
