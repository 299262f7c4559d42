import type { DataSet } from '../data/data-set.js';
import type { LoadRequest } from '../load/load.js';

export interface JobInput {
  dataSet: DataSet;
  /** The same numbers for every contender. */
  random: () => number;
  /** Grows from measurement to measurement of a contender, by at least the requests made. */
  sequence: number;
}

/** Something that clients ask, again and again. */
export interface Job {
  title: string;
  /** Gives a function that makes the next request. Runs in the load's process. */
  requests(input: JobInput): () => LoadRequest;
  /** Whether it changes anything: answers then differ in what is made up for each. */
  writes?: boolean;
  /** Whether what is created is delivered to a webhook. */
  webhook?: boolean;
  /** Whether each request uses up a contact, which must be there before. */
  consumes?: boolean;
  /** Whether it is measured when nothing is named. */
  byDefault?: boolean;
}
