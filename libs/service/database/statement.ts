/** A statement with its SQL text. Each connection prepares it under its name, which is also its label in metrics. */
export interface Statement {
  name: string;
  text: string;
  /** Which scans the planner may use. Default: `by-key`. */
  plan?: Plan;
}

/** `by-key`: index scans. `any`: also sequential scans of large parts of a table. */
export type Plan = 'by-key' | 'any';
