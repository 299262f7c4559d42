import pg from 'pg';

/** Tables of the migrator, which are defined by the ORM. */
const bookkeeping = `('migrations', 'required_migrations')`;

/**
 * A schema as SQL, read from the catalog in a fixed order: tables with their constraints, indexes and triggers, then
 * functions. Contains only objects created by migrations: no partitions, which are created while the service runs.
 */
export async function dumpSchema(url: string, schema: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const texts = async (query: string): Promise<string[]> => {
      const { rows } = await client.query<{ text: string }>(query, [schema]);
      return rows.map(({ text }) => `${text};\n`);
    };
    const parts = [await texts(tables), await texts(indexes), await texts(functions)];
    return [...parts, await texts(triggers)].flat().join('\n');
  } finally {
    await client.end();
  }
}

const ours = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ${bookkeeping}`;

const tables = `
  select format(E'create table %I.%I (\\n%s\\n)%s%s', n.nspname, c.relname,
    (select string_agg('  ' || line, E',\\n' order by kind, at, line) from (
      select 0 as kind, a.attnum as at,
        format('%I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
          (select ' collate ' || quote_ident(l.collname) from pg_collation l
           where l.oid = a.attcollation and l.collname <> 'default'),
          case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 1, 0, format('constraint %I %s', conname, pg_get_constraintdef(oid))
      from pg_constraint where conrelid = c.oid and contype <> 'n'
    ) lines),
    case when c.relkind = 'p' then ' partition by ' || pg_get_partkeydef(c.oid) end,
    ' with (' || array_to_string(c.reloptions, ', ') || ')') as text
  ${ours} order by c.relname`;

const indexes = `
  select pg_get_indexdef(i.indexrelid) as text
  from pg_index i
  where i.indrelid in (select c.oid ${ours})
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
  order by i.indexrelid::regclass::text`;

const functions = `
  select trim(trailing E'\\n' from pg_get_functiondef(p.oid)) as text
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = $1 order by p.proname`;

const triggers = `
  select pg_get_triggerdef(g.oid) as text
  from pg_trigger g where g.tgrelid in (select c.oid ${ours}) and not g.tgisinternal
  order by g.tgname`;
