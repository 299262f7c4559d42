import { Fault, propertyTypeLimits, uuidOf, type ContactPropertyType } from '@roster/contracts';
import { callAs } from '@roster/testing';
import { eventually } from '@roster/testing';
import test from 'ava';
import { updateContactProperty } from '../operations/properties/update-contact-property.js';
import type { SurveyLimits } from '../writing/definitions/change-type.js';
import { openDefinitionCache } from '../writing/definitions/definition-cache.js';
import {
  codeOf,
  contactsFor,
  create,
  kindsOf,
  newWorkspace,
  type Workspace,
} from './running-contacts.js';

const running = contactsFor(test);

type Change = { refusal: string | null };

async function withValues(values: readonly string[]) {
  const workspace = newWorkspace(running().bus);
  const contacts = [];
  for (const [n, value] of values.entries())
    contacts.push(
      (await create(workspace, `${n}@example.com`, { properties: { age: value, other: 'x' } }))
        .contact,
    );
  await create(workspace, 'without@example.com');
  const { properties } = await workspace.call('contact-properties.list', {});
  const propertyId = properties.find(({ name }) => name === 'age')!.id;
  const change = (type: ContactPropertyType, more: object = {}) =>
    workspace.attempt('contact-properties.update', { propertyId, type, ...more });
  return { workspace, contacts, propertyId, change };
}

const agesIn = async (workspace: Workspace) =>
  (await workspace.call('contacts.list', {})).contacts.map(({ properties }) => properties['age']);

test('a change of type converts values as an import reads them, each as a change of its contact, and back', async (t) => {
  const { workspace, contacts, change } = await withValues(['12', ' 1.50', '-0']);
  const expected = { values: 3, converted: 3, contradicting: 0, contacts: [], refusal: null };
  t.like(await change('number', { dryRun: true }), {
    property: { type: 'string' },
    change: expected,
  });
  t.deepEqual(await agesIn(workspace), ['12', ' 1.50', '-0', undefined], 'a dry run changes none');
  t.like(await change('number'), { property: { type: 'number' }, change: expected });
  t.deepEqual(await agesIn(workspace), [12, 1.5, 0, undefined]);
  const { contact } = await workspace.call('contacts.get', { contactId: contacts[0]!.id });
  t.is(contact.version, 2);
  t.true(contact.updatedAt > contacts[0]!.updatedAt);
  t.deepEqual((await kindsOf(running(), workspace)).slice(4), Array(3).fill('CONTACT_UPDATED'));
  for (const more of [{}, { dryRun: true }])
    t.false('change' in (await change('number', more)), 'is that type already');
  t.like(await change('string'), { change: { converted: 3 } });
  t.deepEqual(await agesIn(workspace), ['12', '1.5', '0', undefined]);
  const outcome = await workspace.attempt('contacts.update', {
    contactId: contacts[0]!.id,
    properties: { age: 1 },
  });
  t.is(codeOf(outcome), 'invalid', 'the new type counts at once');
});

test('a value that contradicts refuses the change, and some are named', async (t) => {
  const { workspace, contacts, change } = await withValues(['yes', '0', 'maybe', '2']);
  const named = [contacts[2]!.id, contacts[3]!.id];
  t.like(await change('boolean', { dryRun: true }), {
    change: { values: 4, converted: 2, contradicting: 2, contacts: named },
  });
  const { change: tried } = (await change('boolean', { dryRun: true })) as { change: Change };
  const refused = await change('boolean');
  t.is(tried.refusal, (refused as Fault).message);
  t.is(codeOf(refused), 'conflict');
  for (const id of named) t.true((refused as Fault).message.includes(id));
  t.deepEqual((await agesIn(workspace)).slice(0, 4), ['yes', '0', 'maybe', '2']);
  t.like(await workspace.call('contact-properties.list', {}), {
    properties: [{ type: 'string' }, { type: 'string' }],
  });
});

test('dates remain as they are: contacts do not change', async (t) => {
  const { workspace, contacts, change } = await withValues(['2026-01-31', '1999-12-31']);
  t.like(await change('date'), { change: { values: 2, converted: 0 } });
  t.deepEqual(await workspace.call('contacts.get', { contactId: contacts[0]!.id }), {
    contact: contacts[0],
  });
});

test('more values than a transaction converts are refused, and contacts that cannot be read in time', async (t) => {
  const { workspace, propertyId } = await withValues(['1', '2', '3']);
  const attempt = async (limits: Partial<SurveyLimits>, dryRun = false) => {
    const handler = updateContactProperty(running().service, {
      ...propertyTypeLimits,
      ...limits,
    });
    const call = {
      ...callAs({ workspaceId: workspace.id }),
      input: { propertyId, type: 'number' as const, dryRun },
    };
    try {
      return (await handler([call], running().database))[0];
    } catch (error) {
      return error;
    }
  };
  const refused = await attempt({ converted: 2 });
  t.is(codeOf(refused), 'limit_reached');
  const { message: refusal } = refused as Fault;
  t.like(await attempt({ converted: 2 }, true), { change: { converted: 3, refusal } });
  t.like(await attempt({ converted: 3 }, true), { change: { converted: 3, refusal: null } });
  t.is(codeOf(await attempt({ ms: 0 })), 'unavailable');
  t.deepEqual((await agesIn(workspace)).slice(0, 3), ['1', '2', '3']);
  t.is(codeOf(await attempt({ converted: 3, rows: 1 })), 'ok');
  t.deepEqual((await agesIn(workspace)).slice(0, 3), [1, 2, 3]);
});

test('values that are written between the survey and the turn are converted, or refuse the change', async (t) => {
  for (const value of ['7', 'seven']) {
    const { workspace, contacts, change } = await withValues(['1']);
    const gate = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const writing = running().database.transaction(async (inner) => {
      await inner.query(
        {
          name: 'test.take-turn',
          text: 'select 1 from contacts.watermarks where workspace_id = $1 for update',
        },
        [uuidOf('workspace', workspace.id)],
      );
      held.resolve();
      await gate.promise;
      await inner.query(
        {
          name: 'test.write',
          text: `
            with turn as (
              update contacts.watermarks set last_id = contacts.id_after(last_id, 1) where workspace_id = $1 returning last_id
            )
            update contacts.contacts c set properties = jsonb_build_object('age', $3::text), change_id = turn.last_id, version = 2
            from turn where workspace_id = $1 and id = $2`,
        },
        [uuidOf('workspace', workspace.id), uuidOf('contact', contacts[0]!.id), value],
      );
    });
    await held.promise;
    const changing = change('number');
    const waits = {
      name: 'test.waits',
      text: `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%contacts.watermarks where workspace_id%for update%'`,
    };
    await eventually(async () => (await running().database.query(waits, [])).length > 0);
    gate.resolve();
    await writing;
    t.is(codeOf(await changing), value === '7' ? 'ok' : 'conflict');
    t.is((await agesIn(workspace))[0], value === '7' ? 7 : value);
  }
});

test('other processes forget the types of a workspace when one changes', async (t) => {
  const { workspace, change } = await withValues(['1']);
  const id = uuidOf('workspace', workspace.id);
  const ofAnother = openDefinitionCache(running().bus);
  await running().bus.link.nats.flush();
  ofAnother.add(id, [['age', 'string']], ofAnother.version);
  await change('number');
  await eventually(() => !ofAnother.has(id, 'age'));
  t.pass();
});

test('a property that is defined again takes the values of contacts, which must not contradict', async (t) => {
  const { workspace, propertyId } = await withValues(['1', '2']);
  await workspace.call('contact-properties.delete', { propertyId });
  const define = (type: ContactPropertyType) =>
    workspace.attempt('contact-properties.create', { name: 'age', label: 'Age', type });
  t.is(codeOf(await define('date')), 'conflict');
  t.is(codeOf(await define('number')), 'ok');
  t.deepEqual((await agesIn(workspace)).slice(0, 2), [1, 2]);
});

test('a repeated change with its Idempotency-Key returns the first response', async (t) => {
  const { workspace, propertyId } = await withValues(['1']);
  const repeat = () =>
    workspace.call('contact-properties.update', { propertyId, type: 'number' }, 'once');
  const first = await repeat();
  t.like(first, { change: { converted: 1 } });
  t.deepEqual(await repeat(), first);
});
