import { Migration } from '@mikro-orm/migrations';

/**
 * Rewrites the keys of email addresses beyond ASCII, which were addresses in lower case: letters composed, case folded, domains in
 * Unicode. Of addresses that become equal, the one that has the key already, or else the oldest, has it from then on. The others
 * keep the key that they have.
 */
export class RewriteEmailKeys extends Migration {
  override up(): void {
    this.addSql(unicodeLabel);
    this.addSql(normalKey);
    this.addSql(`
      update contacts.contacts c set email_key = n.key
      from (
        select distinct on (workspace_id, key) workspace_id, id, key
        from (
          select workspace_id, id, email_key, contacts.normal_key(email_key) collate "C" as key from contacts.contacts
          where octet_length(email_key) > char_length(email_key) or email_key like '%xn--%'
        ) k
        where key <> email_key
        order by workspace_id, key, id
      ) n
      where c.workspace_id = n.workspace_id and c.id = n.id
        and not exists (
          select from contacts.contacts o where o.workspace_id = n.workspace_id and o.email_key = n.key
        )`);
    this.addSql('drop function contacts.normal_key(text)');
    this.addSql('drop function contacts.unicode_label(text)');
  }
}

/** Decodes punycode (RFC 3492). Returns labels that are not valid as they are. */
const unicodeLabel = `
  create function contacts.unicode_label(label text) returns text language plpgsql as $body$
  declare
    rest text := substr(label, 5);
    output text := '';
    code bigint := 128;
    bias bigint := 72;
    i bigint := 0;
    before bigint;
    weight bigint;
    k bigint;
    digit bigint;
    threshold bigint;
    delta bigint;
    count bigint;
    basic int := length(rest) - position('-' in reverse(rest));
  begin
    if position('-' in rest) > 0 then
      output := left(rest, basic);
      rest := substr(rest, basic + 2);
    end if;
    while rest <> '' loop
      before := i;
      weight := 1;
      k := 36;
      loop
        digit := position(left(rest, 1) in 'abcdefghijklmnopqrstuvwxyz0123456789') - 1;
        if rest = '' or digit < 0 then
          return label;
        end if;
        rest := substr(rest, 2);
        i := i + digit * weight;
        threshold := least(greatest(k - bias, 1), 26);
        exit when digit < threshold;
        weight := weight * (36 - threshold);
        k := k + 36;
      end loop;
      count := length(output) + 1;
      delta := (i - before) / case when before = 0 then 700 else 2 end;
      delta := delta + delta / count;
      k := 0;
      while delta > 455 loop
        delta := delta / 35;
        k := k + 36;
      end loop;
      bias := k + 36 * delta / (delta + 38);
      code := code + i / count;
      if code < 161 then
        return label;
      end if;
      i := i % count;
      output := left(output, i::int) || chr(code::int) || substr(output, i::int + 1);
      i := i + 1;
    end loop;
    return output;
  exception when others then
    return label;
  end $body$`;

/** Of a key in lower case. The letters that are translated have another lower-case letter as their capital's. */
const normalKey = `
  create function contacts.normal_key(email_key text) returns text language plpgsql as $body$
  declare
    host text := substring(email_key from '[^@]*$');
  begin
    return normalize(translate(
      left(email_key, -length(host)) || (
        select normalize(string_agg(
          case when label like 'xn--%' then contacts.unicode_label(label) else label end, '.' order by at), NFKC)
        from unnest(string_to_array(host, '.')) with ordinality as labels (label, at)
      ),
      'µſςϐϑϕϖϰϱϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛ\u1fbe\u0345', 'μsσβθφπκρεвдосттъѣꙋṡιι'), NFC);
  exception when others then
    return email_key;
  end $body$`;
