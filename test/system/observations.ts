import type { RunningRoster } from './running-roster.js';
import { scrape } from './scrape.js';

/** The number of observations of a histogram of a service, for one label. */
export async function observations(
  roster: RunningRoster,
  service: string,
  histogram: string,
  label: string,
): Promise<number> {
  const line = (await scrape(roster, service))
    .split('\n')
    .find((each) => each.startsWith(`${histogram}_count`) && each.includes(`"${label}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}
