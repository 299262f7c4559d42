/** SQL written out. Prepared once per connection under its name, which also names it in metrics. */
export interface Statement {
  name: string;
  text: string;
  /** How PostgreSQL may look for rows. Omitted: by their keys. */
  plan?: Plan;
}

/** Who does not say otherwise finds rows by keys. `any`: reads a table whole, or much of it. */
export type Plan = 'by-key' | 'any';
