import type { MikroORM } from '@mikro-orm/postgresql';
import { Fault } from '@roster/contracts';

export interface Guard {
  /** Converts the error of a failed statement. */
  reportedAs: (error: unknown) => unknown;
  observe: (statement: string, seconds: number) => void;
}

/**
 * Measures all statements of an EntityManager, in transactions or not, under names of a fixed set such as
 * `orm.select.webhooks`, and converts their errors like those of other statements.
 */
export function guardEntityManager(orm: MikroORM, { reportedAs, observe }: Guard): void {
  const connection = orm.em.getConnection();
  const execute = connection.execute.bind(connection);
  connection.execute = async (query, ...rest) => {
    const started = performance.now();
    try {
      return await execute(query, ...rest);
    } catch (error) {
      throw reportedAs(error);
    } finally {
      observe(nameOf(query), (performance.now() - started) / 1000);
    }
  };
  // The ORM converts errors of the connection. Faults are already converted.
  const converter = orm.em.getPlatform().getExceptionConverter();
  const convert = converter.convertException.bind(converter);
  converter.convertException = (error) => (error instanceof Fault ? error : convert(error));
}

type Query = Parameters<ReturnType<MikroORM['em']['getConnection']>['execute']>[0];

const shape =
  /^\s*(?:(select)\b.*?\bfrom|(insert) into|(update)|(delete) from) "[^"]+"\."([^"]+)"/is;

function nameOf(query: Query): string {
  const text = typeof query === 'string' ? query : 'sql' in query ? query.sql : query.compile().sql;
  const [, select, insert, update, remove, table] = shape.exec(text) ?? [];
  const verb = select ?? insert ?? update ?? remove;
  return verb === undefined ? 'orm.other' : `orm.${verb.toLowerCase()}.${table}`;
}
