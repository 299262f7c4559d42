-- Roles of Roster, for its database. Printed by `roster postgres roles`; may be run again at any time.
begin;
select pg_advisory_xact_lock(hashtext('roster:roles'));
do $$
declare
  name text;
begin
  foreach name in array array['roster_migrator', 'roster_contacts', 'roster_users', 'roster_webhooks', 'roster_dispatcher'] loop
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
end $$;
do $$
begin
  if not pg_has_role(current_user, 'roster_migrator', 'usage') then
    grant "roster_migrator" to current_user;
  end if;
end $$;
do $$
declare
  name text;
begin
  execute format('revoke all on database %I from public', current_database());
  foreach name in array array['roster_migrator', 'roster_contacts', 'roster_users', 'roster_webhooks', 'roster_dispatcher'] loop
    execute format('revoke all on database %I from %I', current_database(), name);
    execute format('grant connect on database %I to %I', current_database(), name);
  end loop;
  execute format('grant create on database %I to %I', current_database(), 'roster_migrator');
  if to_regnamespace('public') is not null then
    revoke create on schema public from public;
  end if;
end $$;
do $$
declare
  name text;
  statement text;
begin
  foreach name in array array['contacts', 'users', 'webhooks', 'dispatcher'] loop
    if to_regclass(format('%I.migrations', name)) is null
      and exists (select from pg_class where relnamespace = to_regnamespace(quote_ident(name)) and relkind in ('r', 'p'))
    then
      raise exception 'The schema % holds tables that are not Roster''s', name;
    end if;
    execute format('create schema if not exists %I authorization %I', name, 'roster_migrator');
  end loop;
  for statement in
    with owned as (
      select nspowner as owner, 1 as step, format('schema %I', nspname) as object
      from pg_namespace where nspname = any (array['contacts', 'users', 'webhooks', 'dispatcher'])
      union all
      select relowner, 2, format('table %s', c.oid::regclass)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      -- Indexes, and sequences of columns, belong to the owner of their table.
      where nspname = any (array['contacts', 'users', 'webhooks', 'dispatcher']) and relkind in ('r', 'p', 'v', 'm', 'S')
        and not (relkind = 'S' and exists (select from pg_depend where objid = c.oid and deptype in ('a', 'i')))
      union all
      select proowner, 2, format('routine %s', p.oid::regprocedure)
      from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname = any (array['contacts', 'users', 'webhooks', 'dispatcher'])
    ), foreign_owned as (
      select * from owned where owner <> 'roster_migrator'::regrole
    )
    select text from (
      select format('alter %s owner to %I', object, 'roster_migrator') as text, step from foreign_owned
      union all
      select distinct format('grant %I to %I', 'roster_migrator', rolname), 0
      from foreign_owned join pg_roles on pg_roles.oid = owner
      where not rolsuper and rolname <> all (array['roster_contacts', 'roster_users', 'roster_webhooks', 'roster_dispatcher'])
        and not pg_has_role(owner, 'roster_migrator', 'usage')
    ) order by step
  loop
    execute statement;
  end loop;
end $$;
revoke all on schema contacts from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all tables in schema contacts from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all routines in schema contacts from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
grant usage on schema contacts to "roster_contacts";
grant select, insert, update, delete on all tables in schema contacts to "roster_contacts";
grant execute on all routines in schema contacts to "roster_contacts";
alter default privileges for role "roster_migrator" in schema contacts grant select, insert, update, delete on tables to "roster_contacts";
alter default privileges for role "roster_migrator" in schema contacts grant execute on routines to "roster_contacts";
revoke all on schema users from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all tables in schema users from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all routines in schema users from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
grant usage on schema users to "roster_users";
grant select, insert, update, delete on all tables in schema users to "roster_users";
grant execute on all routines in schema users to "roster_users";
alter default privileges for role "roster_migrator" in schema users grant select, insert, update, delete on tables to "roster_users";
alter default privileges for role "roster_migrator" in schema users grant execute on routines to "roster_users";
revoke all on schema webhooks from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all tables in schema webhooks from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all routines in schema webhooks from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
grant usage on schema webhooks to "roster_webhooks";
grant select, insert, update, delete on all tables in schema webhooks to "roster_webhooks";
grant execute on all routines in schema webhooks to "roster_webhooks";
alter default privileges for role "roster_migrator" in schema webhooks grant select, insert, update, delete on tables to "roster_webhooks";
alter default privileges for role "roster_migrator" in schema webhooks grant execute on routines to "roster_webhooks";
revoke all on schema dispatcher from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all tables in schema dispatcher from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
revoke all on all routines in schema dispatcher from public, "roster_contacts", "roster_users", "roster_webhooks", "roster_dispatcher";
grant usage on schema dispatcher to "roster_dispatcher";
grant select, insert, update, delete on all tables in schema dispatcher to "roster_dispatcher";
grant execute on all routines in schema dispatcher to "roster_dispatcher";
alter default privileges for role "roster_migrator" in schema dispatcher grant select, insert, update, delete on tables to "roster_dispatcher";
alter default privileges for role "roster_migrator" in schema dispatcher grant execute on routines to "roster_dispatcher";
alter default privileges for role "roster_migrator" revoke execute on routines from public;
commit;
