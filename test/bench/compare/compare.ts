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
  /** Names of jobs, `overload` among them. Empty: those that are measured by default. */
  jobs: readonly string[];
  /** In the large workspace. */
  contacts: number;
  quick: boolean;
  profile: boolean;
  /** How long Roster is kept at half load; 0 does not. */
  soakMinutes: number;
  say: (line: string) => void;
}

export interface Comparison {
  settings: Settings;
  jobs: JobResult[];
  overload: OverloadResult[];
  soak: SoakResult | undefined;
}

/** Measured when nothing is named. */
const usual = Object.keys(jobs).filter((name) => jobs[name]!.byDefault);
/** What the regression guard looks at. */
const guarded = ['get', 'list-small', 'list', 'create', 'mixed'];
const overloaded = ['get', 'create'];

/** Roster against the monolith, job by job, in one run. */
export async function compare(options: CompareOptions): Promise<Comparison> {
  const { say, quick, profile } = options;
  const dataSet = dataSetOf(options.contacts);
  const contenders = await Contenders.start(dataSet, profile, say);
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
      comparison.soak = await soak(measured[0] ?? 'mixed', bench, options.soakMinutes, say);
      return comparison;
    }
    for (const job of measured) {
      if (profile) {
        await profileJob(job, bench, say);
        continue;
      }
      const result = await compareJob(job, bench, quick ? quickPlan : fullPlan);
      say(report(result));
      comparison.jobs.push(result);
    }
    if (names.includes('overload') || (options.jobs.length === 0 && !quick && !profile))
      for (const job of overloaded) comparison.overload.push(...(await overload(job, bench, say)));
    for (const line of reportAcrossJobs(comparison.jobs)) say(line);
    return comparison;
  } finally {
    await generator.stop();
    await contenders.stop();
  }
}

/** Lets every contender run through most of its code before the first measurement. */
async function warmUp(bench: Bench, seconds: number): Promise<void> {
  const load = { shape: { clients: 64 }, warmSeconds: 0, seconds, seed: 99 };
  for (const contender of bench.contenders.all) await bench.measure('mixed', contender, load);
}
