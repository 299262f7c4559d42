/** The workspace that misbehaves, and its system. */
export interface Offender {
  baseUrl: string;
  apiKey: string;
  databaseUrl: string;
}

/** Something that one workspace does and that must not affect the requests of others. */
export interface Misbehaviour {
  name: string;
  /** Starts it. Resolves when it affects the system. */
  begin(offender: Offender): Promise<End>;
}

/** Ends it. Resolves when its clients have stopped. */
export type End = () => Promise<void>;
