-- The schema after all migrations. `npm run record` writes it.

create table contacts.actions (
  workspace_id uuid not null,
  id uuid not null,
  status text not null,
  filter text not null,
  contact_ids uuid[],
  change text not null,
  dry_run boolean not null,
  "position" uuid not null,
  end_id uuid not null,
  total integer not null,
  examined integer not null default 0,
  matched integer not null default 0,
  changed integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  failures text not null default '[]'::text,
  attempts smallint not null default 0,
  reason text,
  next_at timestamp(6) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  filter_types text not null default '{}'::text,
  trace text,
  constraint actions_pkey PRIMARY KEY (workspace_id, id),
  constraint actions_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'cancelled'::text, 'failed'::text])))
) with (fillfactor=50);

create table contacts.addresses (
  workspace_id uuid not null,
  id uuid not null,
  address text collate "C" not null,
  constraint addresses_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.audit_days (
  workspace_id uuid not null,
  day date not null,
  entries integer not null,
  constraint audit_days_pkey PRIMARY KEY (workspace_id, day)
);

create table contacts.audit_log (
  workspace_id uuid not null,
  id uuid not null,
  action text not null,
  actor_id text,
  key_id text,
  address text,
  request_id text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  created_at timestamp(3) with time zone not null default now(),
  constraint audit_log_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.contact_properties (
  workspace_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  label text not null,
  description text,
  created_at timestamp(3) with time zone not null default now(),
  type text not null default 'string'::text,
  constraint contact_properties_name UNIQUE (workspace_id, name),
  constraint contact_properties_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.contacts (
  workspace_id uuid not null,
  id uuid not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  tags jsonb not null,
  properties jsonb not null,
  status text not null default 'subscribed'::text,
  created_at timestamp(3) with time zone not null,
  name_words tsvector,
  change_id uuid,
  version integer not null default 1,
  external_id text collate "C",
  constraint contacts_pkey PRIMARY KEY (workspace_id, id),
  constraint contacts_status_check CHECK ((status = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text])))
);

create table contacts.counters (
  workspace_id uuid not null,
  slot smallint not null,
  total bigint not null,
  constraint counters_pkey PRIMARY KEY (workspace_id, slot)
) with (fillfactor=50);

create table contacts.erasures (
  workspace_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  address_hash bytea,
  status text not null,
  step text,
  known text,
  "position" bigint,
  until bigint,
  pending text,
  reached text,
  events integer not null default 0,
  deliveries integer not null default 0,
  records integer not null default 0,
  next_at timestamp(6) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  trace text,
  constraint erasures_contact UNIQUE (workspace_id, contact_id),
  constraint erasures_pkey PRIMARY KEY (workspace_id, id),
  constraint erasures_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text])))
) with (fillfactor=50);

create table contacts.idempotency_keys (
  workspace_id uuid not null,
  key text not null,
  operation text not null,
  input_sha256 bytea not null,
  answer text,
  created_at timestamp with time zone not null default now(),
  user_id uuid,
  credential text,
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, key)
);

create table contacts.import_chunks (
  workspace_id uuid not null,
  import_id uuid not null,
  ordinal integer not null,
  rows text not null,
  constraint import_chunks_pkey PRIMARY KEY (workspace_id, import_id, ordinal)
);

create table contacts.import_errors (
  workspace_id uuid not null,
  import_id uuid not null,
  "row" integer not null,
  n smallint not null,
  pointer text not null,
  code text not null,
  message text not null,
  text text,
  constraint import_errors_pkey PRIMARY KEY (workspace_id, import_id, "row", n)
);

create table contacts.imports (
  workspace_id uuid not null,
  id uuid not null,
  status text not null,
  format text not null,
  mode text not null,
  dry_run boolean not null,
  chunks integer not null default 0,
  total integer not null default 0,
  bytes bigint not null default 0,
  chunk integer not null default 0,
  "position" integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  attempts smallint not null default 0,
  reason text,
  next_at timestamp(6) with time zone not null default now(),
  received_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  events text not null default 'each'::text,
  written_at timestamp(3) with time zone,
  header text,
  file_name text,
  notices integer not null default 0,
  resubscribe boolean not null default false,
  trace text,
  constraint imports_pkey PRIMARY KEY (workspace_id, id),
  constraint imports_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'queued'::text, 'running'::text, 'completed'::text, 'cancelled'::text, 'failed'::text])))
) with (fillfactor=50);

create table contacts.outbox (
  workspace_id uuid not null,
  id uuid not null,
  kind text not null,
  body text not null,
  created_at timestamp with time zone not null default now(),
  stream_seq bigint,
  details text,
  trace text,
  constraint outbox_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.outbox_checkpoint (
  id boolean not null default true,
  epoch bigint not null default 0,
  compared_epoch bigint not null default 0,
  seen_at timestamp with time zone not null default now(),
  incarnation text,
  positions jsonb not null default '[]'::jsonb,
  batches_from timestamp with time zone not null default now(),
  constraint outbox_checkpoint_id_check CHECK (id),
  constraint outbox_checkpoint_pkey PRIMARY KEY (id)
);

create table contacts.settings (
  workspace_id uuid not null,
  strict_properties boolean not null,
  constraint settings_pkey PRIMARY KEY (workspace_id)
);

create table contacts.suppression_key (
  id boolean not null default true,
  inner_pad bytea not null,
  outer_pad bytea not null,
  constraint suppression_key_id_check CHECK (id),
  constraint suppression_key_pkey PRIMARY KEY (id)
);

create table contacts.suppressions (
  workspace_id uuid not null,
  id uuid not null,
  hash bytea not null,
  reason text not null,
  constraint suppressions_hash UNIQUE (workspace_id, hash),
  constraint suppressions_pkey PRIMARY KEY (workspace_id, id)
);

create table contacts.tag_counters (
  workspace_id uuid not null,
  tag text collate "C" not null,
  contacts bigint not null,
  constraint tag_counters_pkey PRIMARY KEY (workspace_id, tag)
) with (fillfactor=50);

create table contacts.typed_workspaces (
  workspace_id uuid not null,
  constraint typed_workspaces_pkey PRIMARY KEY (workspace_id)
);

create table contacts.unsubscribe_keys (
  workspace_id uuid not null,
  key bytea not null,
  constraint unsubscribe_keys_pkey PRIMARY KEY (workspace_id)
);

create table contacts.usage_days (
  workspace_id uuid not null,
  day date not null,
  contacts bigint not null,
  constraint usage_days_pkey PRIMARY KEY (workspace_id, day)
);

create table contacts.watermarks (
  workspace_id uuid not null,
  last_id uuid not null,
  has_suppressions boolean not null default false,
  constraint watermarks_pkey PRIMARY KEY (workspace_id)
) with (fillfactor=50);

CREATE INDEX actions_ended_at ON contacts.actions USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX actions_runnable ON contacts.actions USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX addresses_parts ON contacts.addresses USING gin (workspace_id, address roster_extensions.gin_trgm_ops) WITH (gin_pending_list_limit='256');

CREATE INDEX audit_log_created_at ON contacts.audit_log USING brin (created_at);

CREATE INDEX contacts_changes ON contacts.contacts USING btree (workspace_id, COALESCE(change_id, id));

CREATE UNIQUE INDEX contacts_email ON contacts.contacts USING btree (workspace_id, email_key);

CREATE UNIQUE INDEX contacts_external_id ON contacts.contacts USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX contacts_names ON contacts.contacts USING btree (workspace_id, (((lower(("left"(name, 100) COLLATE "C")) || '	'::text) || (id)::text)));

CREATE INDEX contacts_search ON contacts.contacts USING gin (workspace_id, tags jsonb_path_ops, properties jsonb_path_ops, name_words) WITH (gin_pending_list_limit='256');

CREATE INDEX contacts_unsubscribed ON contacts.contacts USING btree (workspace_id, id) WHERE (status = 'unsubscribed'::text);

CREATE INDEX erasures_runnable ON contacts.erasures USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX idempotency_keys_created_at ON contacts.idempotency_keys USING brin (created_at);

CREATE INDEX imports_active ON contacts.imports USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['uploading'::text, 'queued'::text, 'running'::text]));

CREATE INDEX imports_ended_at ON contacts.imports USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX imports_runnable ON contacts.imports USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX imports_stored ON contacts.imports USING btree (workspace_id, id) WHERE (bytes > 0);

CREATE INDEX outbox_created_at ON contacts.outbox USING brin (created_at);

CREATE INDEX outbox_published ON contacts.outbox USING btree (stream_seq) WHERE (stream_seq IS NOT NULL);

CREATE INDEX outbox_unpublished_by_workspace ON contacts.outbox USING btree (workspace_id, created_at) WHERE (stream_seq IS NULL);

CREATE OR REPLACE FUNCTION contacts.ascii_address(email_key text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN encode(convert_to(email_key, 'UTF8'::name), 'escape'::text);

CREATE OR REPLACE FUNCTION contacts.check_changed_types()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if exists (select from contacts.typed_workspaces where workspace_id = new.workspace_id) and exists (
      select from jsonb_each(new.properties) p (name, value)
        join contacts.contact_properties d on d.name = p.name collate "C"
      where d.workspace_id = new.workspace_id and p.value is distinct from old.properties -> p.name
        and (
        jsonb_typeof(p.value) <> case d.type when 'number' then 'number' when 'boolean' then 'boolean' else 'string' end
          or (d.type = 'date' and p.value #>> '{}' !~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'))
    ) then
      raise exception 'a value of another type than the contact property has' using errcode = '40001';
    end if;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.check_types_of_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if exists (select from contacts.typed_workspaces) and exists (
      select from changed c
        join contacts.typed_workspaces t on t.workspace_id = c.workspace_id,
        jsonb_each(c.properties) p (name, value)
        join contacts.contact_properties d on d.name = p.name collate "C"
      where d.workspace_id = c.workspace_id and (
        jsonb_typeof(p.value) <> case d.type when 'number' then 'number' when 'boolean' then 'boolean' else 'string' end
          or (d.type = 'date' and p.value #>> '{}' !~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'))
    ) then
      raise exception 'a value of another type than the contact property has' using errcode = '40001';
    end if;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.complete_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    new.version := old.version + 1;
    new.change_id := greatest(
      (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7000'
        || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid,
      contacts.id_after(coalesce(old.change_id, old.id), 1),
      contacts.id_after((select last_id from contacts.watermarks where workspace_id = old.workspace_id), 1));
    return new;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.complete_name()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    new.name_words := contacts.name_words(new.name);
    return new;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.count_contacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    -- In the order of workspaces, so that two writers never wait for each other in a circle.
    insert into contacts.counters as c (workspace_id, slot, total)
    select workspace_id, pg_backend_pid() % 16, count(*) * (case tg_op when 'INSERT' then 1 else -1 end)
    from changed group by workspace_id order by workspace_id
    on conflict (workspace_id, slot) do update set total = c.total + excluded.total;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.count_tags()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    empty contacts.tag_counters;
  begin
    if not exists (select from changed where tags <> '[]' or status = 'unsubscribed') then
      return null;
    end if;
    for empty in
      with counted as (
        insert into contacts.tag_counters as t (workspace_id, tag, contacts)
        select c.workspace_id, tag, count(*) * (case tg_op when 'INSERT' then 1 else -1 end)
        from changed c, jsonb_array_elements_text(case c.status when 'unsubscribed' then c.tags || '[""]' else c.tags end) tag
        group by c.workspace_id, tag order by c.workspace_id, tag
        on conflict (workspace_id, tag) do update set contacts = t.contacts + excluded.contacts
        returning t.*
      )
      select * from counted where contacts = 0
    loop
      delete from contacts.tag_counters t where t.workspace_id = empty.workspace_id and t.tag = empty.tag;
    end loop;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.event_body(head text, email text, name text, created_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (((((((head || ',"email":'::text) || (to_json(email))::text) || ',"name":'::text) || (to_json(name))::text) || ',"createdAt":"'::text) || to_char((created_at AT TIME ZONE 'utc'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)) || '"}}}'::text);

CREATE OR REPLACE FUNCTION contacts.id_after(id uuid, micros bigint)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT ((((lpad(to_hex((t.at / 1000)), 12, '0'::text) || '7'::text) || lpad(to_hex((t.at % (1000)::bigint)), 3, '0'::text)) || "right"(i.digits, 16)))::uuid AS uuid FROM (SELECT replace((id_after.id)::text, '-'::text, ''::text) AS replace) i(digits), LATERAL (SELECT (((((('x'::text || lpad("left"(i.digits, 12), 16, '0'::text)))::bit(64))::bigint * 1000) + LEAST(((('x'::text || substr(i.digits, 14, 3)))::bit(12))::integer, 999)) + id_after.micros) AS "?column?") t(at));

CREATE OR REPLACE FUNCTION contacts.instant_of(id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (SELECT to_char((('1970-01-01 00:00:00'::timestamp without time zone + ((((('x'::text || lpad("left"(i.digits, 12), 16, '0'::text)))::bit(64))::bigint)::double precision * '00:00:00.001'::interval)) + ((LEAST(((('x'::text || substr(i.digits, 14, 3)))::bit(12))::integer, 999))::double precision * '00:00:00.000001'::interval)), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS to_char FROM (SELECT replace((instant_of.id)::text, '-'::text, ''::text) AS replace) i(digits));

CREATE OR REPLACE FUNCTION contacts.is_suppressed(workspace uuid, address text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  begin
    return exists (
      select from contacts.suppressions s
      where s.workspace_id = workspace and s.hash = contacts.suppression_hash(workspace, address)
    );
  end $function$;

CREATE OR REPLACE FUNCTION contacts.keep_suppression()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    changed contacts.contacts := coalesce(new, old);
  begin
    if changed.status = 'subscribed' then
      delete from contacts.suppressions
      where workspace_id = changed.workspace_id
        and hash = contacts.suppression_hash(changed.workspace_id, changed.email_key);
    else
      insert into contacts.suppressions (workspace_id, id, hash, reason)
      values (
        changed.workspace_id, contacts.suppression_id(),
        contacts.suppression_hash(changed.workspace_id, changed.email_key), 'unsubscribed'
      )
      on conflict (workspace_id, hash) do nothing;
      update contacts.watermarks set has_suppressions = true
      where workspace_id = changed.workspace_id and not has_suppressions;
    end if;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.name_words(name text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
  begin
    if octet_length(name) = char_length(name) then
      return regexp_replace(lower(name collate "C"), '[^a-z0-9]+', ' ', 'g')::tsvector;
    end if;
    name := regexp_replace(normalize(translate(replace(lower(normalize(name, nfkc) collate "C"), 'İ', 'i̇'),
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĴĶĹĻĽŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲀᲁᲂᲃᲄᲅᲆᲇᲈᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺᾼῈῊῌῘῙῚῨῩῪῬῸῺῼℲↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡', 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽвдосттъѣꙋᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰᾳὲὴῃῐῑὶῠῡὺῥὸὼῳⅎↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃'), nfc),
      '[\u0001-/:-@[-`{-\u007f\U00000080-\U000000a9\U000000ab-\U000000b1\U000000b4-\U000000b4\U000000b6-\U000000b8\U000000bb-\U000000bb\U000000bf-\U000000bf\U000000d7-\U000000d7\U000000f7-\U000000f7\U000002c2-\U000002c5\U000002d2-\U000002df\U000002e5-\U000002eb\U000002ed-\U000002ed\U000002ef-\U000002ff\U00000375-\U00000375\U0000037e-\U0000037e\U00000384-\U00000385\U00000387-\U00000387\U000003f6-\U000003f6\U00000482-\U00000482\U0000055a-\U0000055f\U00000589-\U0000058a\U0000058d-\U0000058f\U000005be-\U000005be\U000005c0-\U000005c0\U000005c3-\U000005c3\U000005c6-\U000005c6\U000005f3-\U000005f4\U00000600-\U0000060f\U0000061b-\U0000061f\U0000066a-\U0000066d\U000006d4-\U000006d4\U000006dd-\U000006de\U000006e9-\U000006e9\U000006fd-\U000006fe\U00000700-\U0000070d\U0000070f-\U0000070f\U000007f6-\U000007f9\U000007fe-\U000007ff\U00000830-\U0000083e\U0000085e-\U0000085e\U00000888-\U00000888\U00000890-\U00000891\U000008e2-\U000008e2\U00000964-\U00000965\U00000970-\U00000970\U000009f2-\U000009f3\U000009fa-\U000009fb\U000009fd-\U000009fd\U00000a76-\U00000a76\U00000af0-\U00000af1\U00000b70-\U00000b70\U00000bf3-\U00000bfa\U00000c77-\U00000c77\U00000c7f-\U00000c7f\U00000c84-\U00000c84\U00000d4f-\U00000d4f\U00000d79-\U00000d79\U00000df4-\U00000df4\U00000e3f-\U00000e3f\U00000e4f-\U00000e4f\U00000e5a-\U00000e5b\U00000f01-\U00000f17\U00000f1a-\U00000f1f\U00000f34-\U00000f34\U00000f36-\U00000f36\U00000f38-\U00000f38\U00000f3a-\U00000f3d\U00000f85-\U00000f85\U00000fbe-\U00000fc5\U00000fc7-\U00000fcc\U00000fce-\U00000fda\U0000104a-\U0000104f\U0000109e-\U0000109f\U000010fb-\U000010fb\U00001360-\U00001368\U00001390-\U00001399\U00001400-\U00001400\U0000166d-\U0000166e\U00001680-\U00001680\U0000169b-\U0000169c\U000016eb-\U000016ed\U00001735-\U00001736\U000017d4-\U000017d6\U000017d8-\U000017db\U00001800-\U0000180a\U0000180e-\U0000180e\U00001940-\U00001940\U00001944-\U00001945\U000019de-\U000019ff\U00001a1e-\U00001a1f\U00001aa0-\U00001aa6\U00001aa8-\U00001aad\U00001b4e-\U00001b4f\U00001b5a-\U00001b6a\U00001b74-\U00001b7f\U00001bfc-\U00001bff\U00001c3b-\U00001c3f\U00001c7e-\U00001c7f\U00001cc0-\U00001cc7\U00001cd3-\U00001cd3\U00001fbd-\U00001fbd\U00001fbf-\U00001fc1\U00001fcd-\U00001fcf\U00001fdd-\U00001fdf\U00001fed-\U00001fef\U00001ffd-\U00001ffe\U00002000-\U00002064\U00002066-\U0000206f\U0000207a-\U0000207e\U0000208a-\U0000208e\U000020a0-\U000020c1\U00002100-\U00002101\U00002103-\U00002106\U00002108-\U00002109\U00002114-\U00002114\U00002116-\U00002118\U0000211e-\U00002123\U00002125-\U00002125\U00002127-\U00002127\U00002129-\U00002129\U0000212e-\U0000212e\U0000213a-\U0000213b\U00002140-\U00002144\U0000214a-\U0000214d\U0000214f-\U0000214f\U0000218a-\U0000218b\U00002190-\U00002429\U00002440-\U0000244a\U0000249c-\U000024e9\U00002500-\U00002775\U00002794-\U00002b73\U00002b76-\U00002bff\U00002ce5-\U00002cea\U00002cf9-\U00002cfc\U00002cfe-\U00002cff\U00002d70-\U00002d70\U00002e00-\U00002e2e\U00002e30-\U00002e5d\U00002e80-\U00002e99\U00002e9b-\U00002ef3\U00002f00-\U00002fd5\U00002ff0-\U00003004\U00003008-\U00003020\U00003030-\U00003030\U00003036-\U00003037\U0000303d-\U0000303f\U0000309b-\U0000309c\U000030a0-\U000030a0\U000030fb-\U000030fb\U00003190-\U00003191\U00003196-\U0000319f\U000031c0-\U000031e5\U000031ef-\U000031ef\U00003200-\U0000321e\U0000322a-\U00003247\U00003250-\U00003250\U00003260-\U0000327f\U0000328a-\U000032b0\U000032c0-\U000033ff\U00004dc0-\U00004dff\U0000a490-\U0000a4c6\U0000a4fe-\U0000a4ff\U0000a60d-\U0000a60f\U0000a673-\U0000a673\U0000a67e-\U0000a67e\U0000a6f2-\U0000a6f7\U0000a700-\U0000a716\U0000a720-\U0000a721\U0000a789-\U0000a78a\U0000a828-\U0000a82b\U0000a836-\U0000a839\U0000a874-\U0000a877\U0000a8ce-\U0000a8cf\U0000a8f8-\U0000a8fa\U0000a8fc-\U0000a8fc\U0000a92e-\U0000a92f\U0000a95f-\U0000a95f\U0000a9c1-\U0000a9cd\U0000a9de-\U0000a9df\U0000aa5c-\U0000aa5f\U0000aa77-\U0000aa79\U0000aade-\U0000aadf\U0000aaf0-\U0000aaf1\U0000ab5b-\U0000ab5b\U0000ab6a-\U0000ab6b\U0000abeb-\U0000abeb\U0000e000-\U0000f8ff\U0000fb29-\U0000fb29\U0000fbb2-\U0000fbd2\U0000fd3e-\U0000fd4f\U0000fd90-\U0000fd91\U0000fdc8-\U0000fdcf\U0000fdfc-\U0000fdff\U0000fe10-\U0000fe19\U0000fe30-\U0000fe52\U0000fe54-\U0000fe66\U0000fe68-\U0000fe6b\U0000feff-\U0000feff\U0000ff01-\U0000ff0f\U0000ff1a-\U0000ff20\U0000ff3b-\U0000ff40\U0000ff5b-\U0000ff65\U0000ffe0-\U0000ffe6\U0000ffe8-\U0000ffee\U0000fff9-\U0000fffd\U00010100-\U00010102\U00010137-\U0001013f\U00010179-\U00010189\U0001018c-\U0001018e\U00010190-\U0001019c\U000101a0-\U000101a0\U000101d0-\U000101fc\U0001039f-\U0001039f\U000103d0-\U000103d0\U0001056f-\U0001056f\U00010857-\U00010857\U00010877-\U00010878\U0001091f-\U0001091f\U0001093f-\U0001093f\U00010a50-\U00010a58\U00010a7f-\U00010a7f\U00010ac8-\U00010ac8\U00010af0-\U00010af6\U00010b39-\U00010b3f\U00010b99-\U00010b9c\U00010d6e-\U00010d6e\U00010d8e-\U00010d8f\U00010ead-\U00010ead\U00010ed0-\U00010ed8\U00010f55-\U00010f59\U00010f86-\U00010f89\U00011047-\U0001104d\U000110bb-\U000110c1\U000110cd-\U000110cd\U00011140-\U00011143\U00011174-\U00011175\U000111c5-\U000111c8\U000111cd-\U000111cd\U000111db-\U000111db\U000111dd-\U000111df\U00011238-\U0001123d\U000112a9-\U000112a9\U000113d4-\U000113d5\U000113d7-\U000113d8\U0001144b-\U0001144f\U0001145a-\U0001145b\U0001145d-\U0001145d\U000114c6-\U000114c6\U000115c1-\U000115d7\U00011641-\U00011643\U00011660-\U0001166c\U000116b9-\U000116b9\U0001173c-\U0001173f\U0001183b-\U0001183b\U00011944-\U00011946\U000119e2-\U000119e2\U00011a3f-\U00011a46\U00011a9a-\U00011a9c\U00011a9e-\U00011aa2\U00011b00-\U00011b09\U00011be1-\U00011be1\U00011c41-\U00011c45\U00011c70-\U00011c71\U00011ef7-\U00011ef8\U00011f43-\U00011f4f\U00011fd5-\U00011ff1\U00011fff-\U00011fff\U00012470-\U00012474\U00012ff1-\U00012ff2\U00013430-\U0001343f\U00016a6e-\U00016a6f\U00016af5-\U00016af5\U00016b37-\U00016b3f\U00016b44-\U00016b45\U00016d6d-\U00016d6f\U00016e97-\U00016e9a\U00016fe2-\U00016fe2\U0001bc9c-\U0001bc9c\U0001bc9f-\U0001bca3\U0001cc00-\U0001ccef\U0001ccfa-\U0001ccfc\U0001cd00-\U0001ceb3\U0001ceba-\U0001ced0\U0001cee0-\U0001cef0\U0001cf50-\U0001cfc3\U0001d000-\U0001d0f5\U0001d100-\U0001d126\U0001d129-\U0001d164\U0001d16a-\U0001d16c\U0001d173-\U0001d17a\U0001d183-\U0001d184\U0001d18c-\U0001d1a9\U0001d1ae-\U0001d1ea\U0001d200-\U0001d241\U0001d245-\U0001d245\U0001d300-\U0001d356\U0001d6c1-\U0001d6c1\U0001d6db-\U0001d6db\U0001d6fb-\U0001d6fb\U0001d715-\U0001d715\U0001d735-\U0001d735\U0001d74f-\U0001d74f\U0001d76f-\U0001d76f\U0001d789-\U0001d789\U0001d7a9-\U0001d7a9\U0001d7c3-\U0001d7c3\U0001d800-\U0001d9ff\U0001da37-\U0001da3a\U0001da6d-\U0001da74\U0001da76-\U0001da83\U0001da85-\U0001da8b\U0001e14f-\U0001e14f\U0001e2ff-\U0001e2ff\U0001e5ff-\U0001e5ff\U0001e95e-\U0001e95f\U0001ecac-\U0001ecac\U0001ecb0-\U0001ecb0\U0001ed2e-\U0001ed2e\U0001eef0-\U0001eef1\U0001f000-\U0001f02b\U0001f030-\U0001f093\U0001f0a0-\U0001f0ae\U0001f0b1-\U0001f0bf\U0001f0c1-\U0001f0cf\U0001f0d1-\U0001f0f5\U0001f10d-\U0001f1ad\U0001f1e6-\U0001f202\U0001f210-\U0001f23b\U0001f240-\U0001f248\U0001f250-\U0001f251\U0001f260-\U0001f265\U0001f300-\U0001f6d8\U0001f6dc-\U0001f6ec\U0001f6f0-\U0001f6fc\U0001f700-\U0001f7d9\U0001f7e0-\U0001f7eb\U0001f7f0-\U0001f7f0\U0001f800-\U0001f80b\U0001f810-\U0001f847\U0001f850-\U0001f859\U0001f860-\U0001f887\U0001f890-\U0001f8ad\U0001f8b0-\U0001f8bb\U0001f8c0-\U0001f8c1\U0001f8d0-\U0001f8d8\U0001f900-\U0001fa57\U0001fa60-\U0001fa6d\U0001fa70-\U0001fa7c\U0001fa80-\U0001fa8a\U0001fa8e-\U0001fac6\U0001fac8-\U0001fac8\U0001facd-\U0001fadc\U0001fadf-\U0001faea\U0001faef-\U0001faf8\U0001fb00-\U0001fb92\U0001fb94-\U0001fbef\U0001fbfa-\U0001fbfa\U000e0001-\U000e0001\U000e0020-\U000e007f\U000f0000-\U000ffffd\U00100000-\U0010fffd]+', ' ', 'g');
    -- A word has at most 2,046 bytes.
    return case when octet_length(name) > 2046 then regexp_replace(name, '([^ ]{255})[^ ]+', '\1', 'g') else name end::tsvector;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.recount_tags()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    empty contacts.tag_counters;
  begin
    for empty in
      with counted as (
        insert into contacts.tag_counters as t (workspace_id, tag, contacts)
        select new.workspace_id, tag, sum(n)
        from (select jsonb_array_elements_text(case new.status when 'unsubscribed' then new.tags || '[""]' else new.tags end) as tag, 1 as n union all select jsonb_array_elements_text(case old.status when 'unsubscribed' then old.tags || '[""]' else old.tags end), -1) changed
        group by tag having sum(n) <> 0 order by tag
        on conflict (workspace_id, tag) do update set contacts = t.contacts + excluded.contacts
        returning t.*
      )
      select * from counted where contacts = 0
    loop
      delete from contacts.tag_counters t where t.workspace_id = new.workspace_id and t.tag = empty.tag;
    end loop;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION contacts.suppression_hash(workspace_id uuid, email_key text)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (SELECT substr(sha256((k.outer_pad || sha256((k.inner_pad || convert_to((((suppression_hash.workspace_id)::text || ' '::text) || suppression_hash.email_key), 'UTF8'::name))))), 1, 16) AS substr FROM contacts.suppression_key k);

CREATE OR REPLACE FUNCTION contacts.suppression_id()
 RETURNS uuid
 LANGUAGE sql
RETURN (((lpad(to_hex(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint), 12, '0'::text) || '7'::text) || substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 14)))::uuid;

CREATE OR REPLACE FUNCTION contacts.write_addresses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    case tg_op
      when 'INSERT' then
        insert into contacts.addresses (workspace_id, id, address)
        select workspace_id, id, contacts.ascii_address(email_key) from changed;
      when 'DELETE' then
        delete from contacts.addresses a using changed c where a.workspace_id = c.workspace_id and a.id = c.id;
      else
        update contacts.addresses set address = contacts.ascii_address(new.email_key)
        where workspace_id = new.workspace_id and id = new.id;
    end case;
    return null;
  end $function$;

CREATE TRIGGER contacts_addressed_in AFTER INSERT ON contacts.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.write_addresses();

CREATE TRIGGER contacts_addressed_out AFTER DELETE ON contacts.contacts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.write_addresses();

CREATE TRIGGER contacts_changed BEFORE UPDATE ON contacts.contacts FOR EACH ROW WHEN (((new.version = old.version) AND (((((new.email IS DISTINCT FROM old.email) OR (new.name IS DISTINCT FROM old.name)) OR (new.tags IS DISTINCT FROM old.tags)) OR (new.properties IS DISTINCT FROM old.properties)) OR (new.status IS DISTINCT FROM old.status)))) EXECUTE FUNCTION contacts.complete_change();

CREATE TRIGGER contacts_counted_in AFTER INSERT ON contacts.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.count_contacts();

CREATE TRIGGER contacts_counted_out AFTER DELETE ON contacts.contacts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.count_contacts();

CREATE TRIGGER contacts_named BEFORE INSERT ON contacts.contacts FOR EACH ROW WHEN ((new.name_words IS NULL)) EXECUTE FUNCTION contacts.complete_name();

CREATE TRIGGER contacts_readdressed AFTER UPDATE OF email_key ON contacts.contacts FOR EACH ROW WHEN ((new.email_key <> old.email_key)) EXECUTE FUNCTION contacts.write_addresses();

CREATE TRIGGER contacts_renamed BEFORE UPDATE OF name ON contacts.contacts FOR EACH ROW WHEN (((new.name <> old.name) AND (NOT (new.name_words IS DISTINCT FROM old.name_words)))) EXECUTE FUNCTION contacts.complete_name();

CREATE TRIGGER contacts_suppressed AFTER UPDATE OF status, email_key ON contacts.contacts FOR EACH ROW WHEN (((new.status <> old.status) OR ((new.status = 'unsubscribed'::text) AND (new.email_key <> old.email_key)))) EXECUTE FUNCTION contacts.keep_suppression();

CREATE TRIGGER contacts_suppressed_in AFTER INSERT ON contacts.contacts FOR EACH ROW WHEN ((new.status = 'unsubscribed'::text)) EXECUTE FUNCTION contacts.keep_suppression();

CREATE TRIGGER contacts_suppressed_out AFTER DELETE ON contacts.contacts FOR EACH ROW WHEN ((old.status = 'unsubscribed'::text)) EXECUTE FUNCTION contacts.keep_suppression();

CREATE TRIGGER contacts_tags_counted_in AFTER INSERT ON contacts.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.count_tags();

CREATE TRIGGER contacts_tags_counted_out AFTER DELETE ON contacts.contacts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.count_tags();

CREATE TRIGGER contacts_tags_recounted AFTER UPDATE ON contacts.contacts FOR EACH ROW WHEN (((new.tags <> old.tags) OR (new.status <> old.status))) EXECUTE FUNCTION contacts.recount_tags();

CREATE TRIGGER contacts_typed AFTER UPDATE ON contacts.contacts FOR EACH ROW WHEN ((new.properties <> old.properties)) EXECUTE FUNCTION contacts.check_changed_types();

CREATE TRIGGER contacts_typed_in AFTER INSERT ON contacts.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contacts.check_types_of_new();
