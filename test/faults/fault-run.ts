import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';
import { Client } from '../system/client.js';
import { startRoster, type RunningRoster } from '../system/running-roster.js';
import { ChangeLoad } from './change-load.js';
import { MoodyReceiver, temperaments, type Temperament } from './moody-receiver.js';
import { Random } from './random.js';
import { countUnfinished, reconcile, type Reconciliation, type Subscribed } from './reconcile.js';

export interface FaultRun {
  seed: number;
  seconds: number;
  changesPerSecond: number;
  /** The dispatcher's settings, shortened. */
  env: Record<string, string>;
  settleSeconds: number;
  say: (line: string) => void;
  /** Begins to do harm; what it returns ends that. */
  harm: (roster: RunningRoster, random: Random) => { stop(): Promise<void> };
}

/**
 * Runs the whole system under load against receivers with moods while harm is done to it, then lets it come to rest and
 * compares what everybody says has happened.
 */
export async function runFaults(run: FaultRun): Promise<Reconciliation> {
  const { say } = run;
  const random = new Random(run.seed);
  const own = () => new Random(Math.floor(random.next() * 2 ** 32));
  const roster = await startRoster({ env: { LOG_LEVEL: 'info', ...run.env } });
  const receivers = (Object.keys(temperaments) as Temperament[]).map(
    (temperament) => new MoodyReceiver(temperament, own()),
  );
  try {
    const webhooks = await Promise.all(receivers.map((receiver) => subscribe(roster, receiver)));
    const load = new ChangeLoad(roster, own(), run.changesPerSecond);
    const harm = run.harm(roster, own());
    await delay(run.seconds * 1000);
    await harm.stop();
    await load.stop();
    for (const receiver of receivers) receiver.calmDown();
    const calmAt = performance.now();
    const unsettled = await settle(roster, webhooks.length, run.settleSeconds, say);
    say(`calm again; ${unsettled} unfinished after ${seconds(calmAt)} s`);
    const result = await reconcile(roster, load, webhooks);
    if (result.findings.some(({ against }) => against.length > 0))
      say(roster.output().slice(-8000));
    return result;
  } finally {
    await roster.discard();
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
}

async function subscribe(roster: RunningRoster, receiver: MoodyReceiver): Promise<Subscribed> {
  const { body } = await new Client(roster).post<{ webhook: { id: string } }>('/v1/webhooks', {
    url: await receiver.start(),
    events: ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_DELETED'],
  });
  return { id: body.webhook.id, receiver };
}

/** Waits until nothing is on its way any more, and tells what still is when the time is over. */
async function settle(
  roster: RunningRoster,
  webhooks: number,
  settleSeconds: number,
  say: (line: string) => void,
): Promise<number> {
  let unfinished = Number.NaN;
  let saidAt = performance.now();
  try {
    await eventually(
      async () => {
        unfinished = await countUnfinished(roster, webhooks);
        if (performance.now() - saidAt > 10_000) {
          say(`       ${unfinished} deliveries unfinished`);
          saidAt = performance.now();
        }
        if (unfinished === 0) return true;
        await delay(250);
        return false;
      },
      { timeoutMs: settleSeconds * 1000, describe: 'nothing to be on its way' },
    );
  } catch {
    // What is missing shows in the reconciliation, by id.
  }
  return unfinished;
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);
