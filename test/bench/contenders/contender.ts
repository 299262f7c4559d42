/** Something that answers the bench's requests, and the processes that it and what it needs consist of. */
export interface Contender {
  name: string;
  port: number;
  /** Where several processes take its requests. */
  ports?: readonly number[];
  /** Where its contacts are. */
  databaseUrl: string;
  /** By part. Read again and again: PostgreSQL starts a process for each connection. */
  processes(): Record<string, number[]>;
}
