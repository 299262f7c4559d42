/** A system under comparison, with its processes and those of its dependencies. */
export interface Contender {
  name: string;
  port: number;
  /** One port for each process that accepts requests. */
  ports?: readonly number[];
  /** The database with its contacts. */
  databaseUrl: string;
  /** Processes by component. Evaluated repeatedly, because PostgreSQL starts a process for each connection. */
  processes(): Record<string, number[]>;
}
