import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../system/client.js';
import { partNames, processesOf } from '../../system/processes.js';
import { startRoster, type RunningRoster } from '../../system/running-roster.js';
import type { Contender } from '../contenders/contender.js';
import { unlimitedRates } from '../contenders/contenders.js';
import { apiKeyOf, type DataSet } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { processorSecondsOf } from '../usage.js';

export interface SystemOptions {
  name: string;
  /** The directory of another checkout, which is built. */
  checkout?: string;
  env?: Record<string, string>;
}

/** Roster of one checkout, with the data set and a webhook in the workspace of mixed requests. */
export class System {
  readonly contender: Contender;
  readonly #roster: RunningRoster;

  private constructor(name: string, roster: RunningRoster) {
    this.#roster = roster;
    const { home } = roster;
    this.contender = {
      name,
      port: Number(new URL(roster.baseUrl).port),
      databaseUrl: roster.databaseUrl,
      processes: () => Object.fromEntries(partNames.map((part) => [part, processesOf(home, part)])),
    };
  }

  static async start(
    { name, checkout, env }: SystemOptions,
    dataSet: DataSet,
    webhookUrl: string,
  ): Promise<System> {
    const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
    const options = { home, env: { ...unlimitedRates, ...env }, ...(checkout && { checkout }) };
    const roster = await startRoster(options).catch(async (error: Error) => {
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
      throw error;
    });
    const system = new System(name, roster);
    try {
      await loadDataSet(roster.databaseUrl, dataSet);
      const { baseUrl } = roster;
      const client = new Client({ baseUrl, apiKey: apiKeyOf(dataSet.mixed.first) });
      const webhook = { url: webhookUrl, events: ['CONTACT_CREATED'] };
      const { status } = await client.post('/v1/webhooks', webhook);
      if (status !== 201) throw new Error(`creating a webhook was answered ${status}`);
    } catch (error) {
      await system.discard();
      throw error;
    }
    return system;
  }

  /** CPU seconds by component, since the start. */
  processorSeconds(): Record<string, number> {
    const parts = Object.entries(this.contender.processes());
    return Object.fromEntries(parts.map(([part, pids]) => [part, processorSecondsOf(part, pids)]));
  }

  discard(): Promise<void> {
    return this.#roster.discard();
  }
}
