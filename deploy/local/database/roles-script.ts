import { services, type DatabaseUser } from './database-user.js';

export type RoleNames = Readonly<Record<DatabaseUser, string>>;

/**
 * The statements that create the roles and limit them: the migrator owns the schemas, and the role of a service has DML on its
 * own. To be run in one transaction, in Roster's database, by a superuser or by a role with CREATEROLE that owns the database.
 * They may be run again at any time, and convert an installation in which one role owns everything.
 */
export function rolesStatements(names: RoleNames): string[] {
  return [
    // One run at a time: concurrent changes of a catalog row fail.
    `select pg_advisory_xact_lock(hashtext('roster:roles'))`,
    createRoles(Object.values(names)),
    becomeMemberOf(names.migrate),
    databasePrivileges(names),
    takeOwnership(names),
    ...services.flatMap((service) => schemaPrivileges(service, names)),
    // Functions are executable by everyone by default.
    `alter default privileges for role ${identifier(names.migrate)} revoke execute on routines from public`,
  ];
}

/** The statements as a script, for any client: the first error rolls everything back. */
export const rolesScript = (names: RoleNames): string =>
  [
    '-- Roles of Roster, for its database. Printed by `roster postgres roles`; may be run again at any time.',
    'begin;',
    ...rolesStatements(names).map((statement) => `${statement};`),
    'commit;',
    '',
  ].join('\n');

const createRoles = (names: readonly string[]): string => `do $$
declare
  name text;
begin
  foreach name in array ${array(names)} loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login', name);
    end if;
    if exists (
      select from pg_roles where rolname = name
        and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)
    ) then
      raise exception 'The role % has privileges that no role of Roster may have: SUPERUSER, CREATEROLE, CREATEDB, REPLICATION or BYPASSRLS', name;
    end if;
  end loop;
end $$`;

/** Only a member may change the owner of an object to a role. A superuser counts as a member of every role. */
const becomeMemberOf = (migrator: string): string => `do $$
begin
  if not pg_has_role(current_user, ${literal(migrator)}, 'usage') then
    grant ${identifier(migrator)} to current_user;
  end if;
end $$`;

const databasePrivileges = (names: RoleNames): string => `do $$
declare
  name text;
begin
  execute format('revoke all on database %I from public', current_database());
  foreach name in array ${array(Object.values(names))} loop
    execute format('revoke all on database %I from %I', current_database(), name);
    execute format('grant connect on database %I to %I', current_database(), name);
  end loop;
  execute format('grant create on database %I to %I', current_database(), ${literal(names.migrate)});
  if to_regnamespace('public') is not null then
    revoke create on schema public from public;
  end if;
end $$`;

/** Former owners become members of the migrator: during a rollout, some processes still connect as them. */
function takeOwnership({ migrate, ...others }: RoleNames): string {
  const schemas = array(services);
  return `do $$
declare
  name text;
  statement text;
begin
  foreach name in array ${schemas} loop
    if to_regclass(format('%I.migrations', name)) is null
      and exists (select from pg_class where relnamespace = to_regnamespace(quote_ident(name)) and relkind in ('r', 'p'))
    then
      raise exception 'The schema % holds tables that are not Roster''s', name;
    end if;
    execute format('create schema if not exists %I authorization %I', name, ${literal(migrate)});
  end loop;
  for statement in
    with owned as (
      select nspowner as owner, 1 as step, format('schema %I', nspname) as object
      from pg_namespace where nspname = any (${schemas})
      union all
      select relowner, 2, format('table %s', c.oid::regclass)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      -- Indexes, and sequences of columns, belong to the owner of their table.
      where nspname = any (${schemas}) and relkind in ('r', 'p', 'v', 'm', 'S')
        and not (relkind = 'S' and exists (select from pg_depend where objid = c.oid and deptype in ('a', 'i')))
      union all
      select proowner, 2, format('routine %s', p.oid::regprocedure)
      from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname = any (${schemas})
    ), foreign_owned as (
      select * from owned where owner <> ${literal(migrate)}::regrole
    )
    select text from (
      select format('alter %s owner to %I', object, ${literal(migrate)}) as text, step from foreign_owned
      union all
      select distinct format('grant %I to %I', ${literal(migrate)}, rolname), 0
      from foreign_owned join pg_roles on pg_roles.oid = owner
      where not rolsuper and rolname <> all (${array(Object.values(others))})
        and not pg_has_role(owner, ${literal(migrate)}, 'usage')
    ) order by step
  loop
    execute statement;
  end loop;
end $$`;
}

function schemaPrivileges(service: (typeof services)[number], names: RoleNames): string[] {
  const [own, migrator] = [identifier(names[service]), identifier(names.migrate)];
  const all = ['public', ...services.map((each) => identifier(names[each]))].join(', ');
  const future = `alter default privileges for role ${migrator} in schema ${service}`;
  return [
    `revoke all on schema ${service} from ${all}`,
    `revoke all on all tables in schema ${service} from ${all}`,
    `revoke all on all routines in schema ${service} from ${all}`,
    `grant usage on schema ${service} to ${own}`,
    `grant select, insert, update, delete on all tables in schema ${service} to ${own}`,
    `grant execute on all routines in schema ${service} to ${own}`,
    `${future} grant select, insert, update, delete on tables to ${own}`,
    `${future} grant execute on routines to ${own}`,
  ];
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const array = (texts: readonly string[]): string => `array[${texts.map(literal).join(', ')}]`;
