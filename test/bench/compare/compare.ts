import { Contenders } from '../contenders/contenders.js';
import { dataSetOf } from '../data/data-set.js';
import { jobs } from '../jobs/jobs.js';
import { Generator } from '../load/generator.js';
import { Bench } from './bench.js';
import { compareAnswers } from './compare-answers.js';
import { compareJob, type JobResult } from './compare-job.js';
import { overload, type OverloadResult } from './overload.js';
import { fullPlan, quickPlan } from './plan.js';
import { profileJob } from './profile-job.js';
import { report } from './report.js';
import { reportAcrossJobs } from './report-across-jobs.js';
import { settingsOf, type Settings } from './settings.js';
import { soak, type SoakResult } from './soak.js';

export interface CompareOptions {
  /** Names of jobs, and `overload`. If empty, the default ones are measured. */
  jobs: readonly string[];
  /** Contacts in the large workspace. */
  contacts: number;
  quick: boolean;
  profile: boolean;
  /** Minutes for which Roster is kept at half load; 0 disables the soak. */
  soakMinutes: number;
  print: (line: string) => void;
}

export interface Comparison {
  settings: Settings;
  jobs: JobResult[];
  overload: OverloadResult[];
  soak: SoakResult | undefined;
}

/** Measured if no job is named. */
const usual = Object.keys(jobs).filter((name) => jobs[name]!.byDefault);
/** Measured by the regression check. */
const guarded = ['get', 'list-small', 'list', 'create', 'mixed'];
const overloaded = ['get', 'create'];

/** Compares Roster with the monolith, job by job, in one run. */
export async function compare(options: CompareOptions): Promise<Comparison> {
  const { print, quick, profile } = options;
  const dataSet = dataSetOf(options.contacts);
  const contenders = await Contenders.start({
    dataSet,
    // The regression check compares with the faster kind only.
    kinds: quick ? ['streamless'] : ['stream', 'streamless'],
    profiled: profile,
    print,
  });
  const generator = new Generator();
  try {
    const bench = new Bench(contenders, generator, dataSet);
    const comparison: Comparison = {
      settings: await settingsOf(contenders, options.contacts),
      jobs: [],
      overload: [],
      soak: undefined,
    };
    const names = options.jobs.length > 0 ? options.jobs : quick ? guarded : usual;
    const measured = names.filter((name) => name !== 'overload');
    for (const job of measured) await compareAnswers(job, bench);
    await warmUp(bench, quick ? 2 : 3);
    if (options.soakMinutes > 0) {
      comparison.soak = await soak(measured[0] ?? 'mixed', bench, options.soakMinutes, print);
      return comparison;
    }
    for (const job of measured) {
      if (profile) {
        await profileJob(job, bench, print);
        continue;
      }
      const result = await compareJob(job, bench, quick ? quickPlan : fullPlan);
      print(report(result));
      comparison.jobs.push(result);
    }
    if (names.includes('overload') || (options.jobs.length === 0 && !quick && !profile))
      for (const job of overloaded)
        comparison.overload.push(...(await overload(job, bench, print)));
    for (const line of reportAcrossJobs(comparison.jobs)) print(line);
    return comparison;
  } finally {
    await generator.stop();
    await contenders.stop();
  }
}

/** Warms up every contender before the first measurement, so that V8 compiles most of its code. */
async function warmUp(bench: Bench, seconds: number): Promise<void> {
  const load = { shape: { clients: 64 }, warmSeconds: 0, seconds, seed: 99 };
  for (const contender of bench.contenders.all) await bench.measure('mixed', contender, load);
}
