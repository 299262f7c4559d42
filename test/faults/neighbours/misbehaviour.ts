/** The workspace that misbehaves, and the system it does it to. */
export interface Offender {
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
}

/** What one workspace does to the system, or leaves undone, and its neighbours must not notice. */
export interface Misbehaviour {
  name: string;
  /** Prepares it and resolves when it has begun. */
  begin(offender: Offender): Promise<End>;
}

/** Ends it, and resolves when nothing of it is left at the clients' side. */
export type End = () => Promise<void>;
