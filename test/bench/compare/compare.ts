import { Contenders } from '../contenders/contenders.js';
import { dataSetOf } from '../data/data-set.js';
import { jobs } from '../jobs/jobs.js';
import { Generator } from '../load/generator.js';
import { compareJob, type JobResult } from './compare-job.js';
import { fullPlan, quickPlan } from './plan.js';
import { report } from './report.js';

export interface CompareOptions {
  /** Empty: those that are measured by default. */
  jobs: readonly string[];
  contacts: number;
  quick: boolean;
  say: (line: string) => void;
}

/** Roster against the monolith, job by job, in one run. */
export async function compare(options: CompareOptions): Promise<JobResult[]> {
  const { say, contacts } = options;
  const names =
    options.jobs.length > 0
      ? options.jobs
      : Object.keys(jobs).filter((name) => jobs[name]!.byDefault);
  const dataSet = dataSetOf(contacts);
  const contenders = await Contenders.start(dataSet, {}, say);
  const generator = new Generator();
  try {
    const results: JobResult[] = [];
    for (const name of names) {
      const plan = options.quick ? quickPlan : fullPlan;
      const result = await compareJob(name, { contenders, generator, dataSet, plan, say });
      say(report(result));
      results.push(result);
    }
    return results;
  } finally {
    await generator.stop();
    await contenders.stop();
  }
}
