import pg from 'pg';

/** A statement that each connection prepares once, under its name. */
export interface Statement {
  name: string;
  text: string;
}

/** As in Roster: prevents plans for empty tables. */
const options = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

export class Database {
  readonly #pool: pg.Pool;

  constructor(url: string, poolMax: number) {
    this.#pool = new pg.Pool({ connectionString: url, max: poolMax, keepAlive: true, options });
  }

  async query<Row extends object>(
    { name, text }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>({ name, text, values: values as unknown[] });
    return rows;
  }
}
