import type { DataSet } from '../data/data-set.js';
import type { LoadRequest } from '../load/load.js';

export interface JobInput {
  dataSet: DataSet;
  /** The same for every contender. */
  random: () => number;
  /** Increases between the measurements of a contender by at least the number of requests. */
  sequence: number;
}

/** A kind of request that clients send repeatedly. */
export interface Job {
  title: string;
  /** Returns a function that creates the next request. Runs in the process of the load generator. */
  requests(input: JobInput): () => LoadRequest;
  /** Whether it makes changes: responses then contain generated values. */
  writes?: boolean;
  /** Whether creations are delivered to a webhook. */
  webhook?: boolean;
  /** Whether a request counts when it is delivered: each one creates a contact that a webhook is called for. */
  countsDeliveries?: boolean;
  /** Whether each request deletes a contact, which must have been created before. */
  consumes?: boolean;
  /** Whether it is measured if no job is named. */
  byDefault?: boolean;
}
