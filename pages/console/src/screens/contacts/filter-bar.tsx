import { ListFilter, Search, X } from 'lucide-react';
import {
  Fragment,
  useEffect,
  useId,
  useRef,
  useState,
  type FormEvent,
  type ReactNode,
} from 'react';
import { isByProperty, type Order } from '../../data/first-requests.js';
import type { Property } from '../../data/properties.js';
import { Button } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { Popover } from '../../parts/popover.js';
import { conditionKinds, conditionOf, problemOf, tagKinds, wordsOf } from './condition.js';
import styles from './filter-bar.module.css';
import { TagOptions, ValueOptions } from './options.js';
import { ValueInput } from './property-value.js';
import { noView, type View } from './view.js';

interface FilterBarProps {
  view: View;
  change: (more: Partial<View>) => void;
  properties: readonly Property[];
  children: ReactNode;
}

/** A text that is typed is searched for after this long. */
const typingMs = 250;

/** What of the contacts is shown. Every change is in the address, which can be shared. */
export function FilterBar({ view, change, properties, children }: FilterBarProps) {
  const tags = useId();
  const [tagTyped, setTagTyped] = useState<string>();
  const labels = new Map(properties.map(({ name, label }) => [name, label]));
  const onProperties = Object.entries(view.properties).flatMap(([name, conditions]) =>
    conditions.map((condition) => ({ name, condition })),
  );
  const count = onProperties.length + Number(!!view.from) + Number(!!view.to);
  return (
    <search className={styles.bar}>
      <div className={styles.line}>
        <SearchField value={view.q} onSearch={(q) => change({ q })} />
        <form
          className={styles.tag}
          onSubmit={(event) => {
            event.preventDefault();
            const input = event.currentTarget.querySelector('input')!;
            const tag = input.value.trim();
            if (tag && !view.tags.includes(tag)) change({ tags: [...view.tags, tag] });
            input.value = '';
            setTagTyped('');
          }}
        >
          <input
            aria-label="Filter by tag"
            placeholder="Tag"
            list={tags}
            autoComplete="off"
            maxLength={64}
            className={styles.control}
            onFocus={() => setTagTyped((typed) => typed ?? '')}
            onChange={({ target, nativeEvent }) => {
              setTagTyped(target.value);
              // Chosen from the list, not typed.
              const { inputType } = nativeEvent as InputEvent;
              if (inputType === 'insertReplacementText' || inputType === undefined)
                target.form!.requestSubmit();
            }}
          />
          <TagOptions id={tags} typed={tagTyped} except={view.tags} />
        </form>
        <select
          aria-label="Status"
          className={styles.control}
          value={view.status ?? ''}
          onChange={({ target }) =>
            change({ status: (target.value || undefined) as View['status'] })
          }
        >
          <option value="">Any status</option>
          <option value="SUBSCRIBED">Subscribed</option>
          <option value="UNSUBSCRIBED">Unsubscribed</option>
        </select>
        <Popover
          label={count > 0 ? `Filters (${count})` : 'Filters'}
          icon={<ListFilter size={16} aria-hidden />}
        >
          {(close) => (
            <MoreFilters
              view={view}
              properties={properties}
              onApply={(more) => {
                change(more);
                close();
              }}
            />
          )}
        </Popover>
        <select
          aria-label="Order"
          className={styles.control}
          value={view.sort}
          onChange={({ target }) => change({ sort: target.value as Order })}
        >
          <option value="CREATED_AT_DESC">Newest first</option>
          <option value="CREATED_AT">Oldest first</option>
          <option value="UPDATED_AT_DESC">Last changed first</option>
          <option value="EMAIL">By address</option>
          <option value="NAME">By name</option>
          <PropertyOrders properties={properties} chosen={view.sort} />
        </select>
        {children}
      </div>
      {(view.tags.length > 0 || count > 0) && (
        <ul className={styles.chips} aria-label="Filters">
          {view.tags.map((tag) => (
            <Chip
              key={tag}
              name="tag"
              {...wordsOf(tag, false)}
              onRemove={() => change({ tags: view.tags.filter((one) => one !== tag) })}
            />
          ))}
          {onProperties.map(({ name, condition }) => (
            <Chip
              key={`${name} ${condition}`}
              name={labels.get(name) ?? name}
              {...wordsOf(condition, true)}
              onRemove={() => change({ properties: without(view.properties, name, condition) })}
            />
          ))}
          {view.from && (
            <Chip name="from" value={view.from} onRemove={() => change({ from: '' })} />
          )}
          {view.to && <Chip name="to" value={view.to} onRemove={() => change({ to: '' })} />}
          <li>
            <Button kind="quiet" onClick={() => change(noView(view.sort))}>
              Clear filters
            </Button>
          </li>
        </ul>
      )}
    </search>
  );
}

function without(all: View['properties'], name: string, condition: string): View['properties'] {
  const { [name]: conditions = [], ...others } = all;
  const rest = conditions.filter((one) => one !== condition);
  return rest.length > 0 ? { ...others, [name]: rest } : others;
}

/** Orders by properties, and the one of the address, whose property may have been deleted. */
function PropertyOrders({
  properties,
  chosen,
}: {
  properties: readonly Property[];
  chosen: Order;
}) {
  const names = new Set(properties.map(({ name }) => name));
  const isUnknown = isByProperty(chosen) && !names.has(chosen.replace(/^-?property:/, ''));
  if (properties.length === 0 && !isUnknown) return null;
  return (
    <optgroup label="By property">
      {isUnknown && <option value={chosen}>{chosen}</option>}
      {properties.map(({ name, label }) => (
        <Fragment key={name}>
          <option value={`property:${name}`}>{label}, ascending</option>
          <option value={`-property:${name}`}>{label}, descending</option>
        </Fragment>
      ))}
    </optgroup>
  );
}

interface ChipProps {
  name: string;
  /** `not` or `any of`. */
  verb?: string;
  value: string;
  onRemove: () => void;
}

const Chip = ({ name, verb = '', value, onRemove }: ChipProps) => (
  <li className={styles.chip}>
    <span>{`${name} ${verb}`.trim()}</span> <bdi>{value}</bdi>
    <button
      type="button"
      aria-label={`Remove the filter ${[name, verb, value].filter(Boolean).join(' ')}`}
      onClick={onRemove}
    >
      <X size={14} aria-hidden />
    </button>
  </li>
);

function SearchField({ value, onSearch }: { value: string; onSearch: (q: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  // The address can also be changed by "clear filters" and by going back.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const search = (q: string) => {
    clearTimeout(timer.current);
    sent.current = q;
    onSearch(q);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div className={styles.search}>
      <Search size={16} aria-hidden />
      <input
        type="search"
        aria-label="Search contacts"
        placeholder="Part of an address, or words of a name"
        data-key="/"
        autoComplete="off"
        maxLength={256}
        className={styles.control}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(target.value), typingMs);
        }}
        onKeyDown={(press) => {
          if (press.key === 'Enter') search(text);
          if (press.key === 'Escape') {
            press.stopPropagation();
            if (text === '') press.currentTarget.blur();
            else {
              setText('');
              search('');
            }
          }
        }}
      />
      <kbd aria-hidden>/</kbd>
    </div>
  );
}

interface MoreFiltersProps {
  view: View;
  properties: readonly Property[];
  onApply: (more: Partial<View>) => void;
}

/** The tag among the names of properties, which begin with a letter. */
const tagField = '#tag';

/** What the form offers: a range is two conditions. */
const formKinds = { ...conditionKinds, between: { label: 'is between', takes: 'range' } } as const;
type FormKind = keyof typeof formKinds;
const allKinds = Object.keys(formKinds) as FormKind[];
const kindsOfTexts = allKinds.filter((kind) => kind !== 'between');
/** Booleans have no order, and a contact has several tags. */
const kindsOf = { NUMBER: allKinds, DATE: allKinds, BOOLEAN: tagKinds, STRING: kindsOfTexts };

function conditionsOf(kind: FormKind, text: (name: string) => string): string[] {
  if (kind !== 'between') return [conditionOf(kind, text('value'))];
  const ends = (['gte', 'lte'] as const).map((end) => [end, text(end).trim()] as const);
  return ends.filter(([, value]) => value !== '').map(([end, value]) => conditionOf(end, value));
}

function MoreFilters({ view, properties, onApply }: MoreFiltersProps) {
  const [field, setField] = useState('');
  const [kind, setKind] = useState<FormKind>('is');
  const [problem, setProblem] = useState<string>();
  const options = useId();
  const [typed, setTyped] = useState<string>();
  const typeOf = (name: string) => properties.find((one) => one.name === name)?.type;
  const type = typeOf(field);
  const kindsFor = (name: string): readonly FormKind[] =>
    name === tagField ? tagKinds : kindsOf[typeOf(name) ?? 'STRING'];
  const { takes } = formKinds[kind];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => (form.get(name) as string | null) ?? '';
    const conditions = conditionsOf(kind, text);
    const wrong = field === '' ? undefined : conditions.map(problemOf).find(Boolean);
    if (wrong !== undefined) return setProblem(`The list ${wrong}.`);
    if (conditions.length === 0) return setProblem('At least one of both is needed.');
    onApply({
      from: text('from'),
      to: text('to'),
      ...(field === tagField && { tags: [...new Set([...view.tags, ...conditions])] }),
      ...(field !== '' &&
        field !== tagField && { properties: { ...view.properties, [field]: conditions } }),
    });
  };
  return (
    <form className={styles.more} onSubmit={submit}>
      <div className={styles.pair}>
        <Field label="Tag or property">
          <select
            value={field}
            onChange={({ target }) => {
              setField(target.value);
              if (!kindsFor(target.value).includes(kind)) setKind('is');
            }}
          >
            <option value="">None</option>
            <option value={tagField}>Tag</option>
            {properties.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Condition">
          <select
            value={kind}
            disabled={field === ''}
            onChange={({ target }) => {
              setKind(target.value as FormKind);
              setProblem(undefined);
            }}
          >
            {kindsFor(field).map((one) => (
              <option key={one} value={one}>
                {formKinds[one].label}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {takes === 'range' && (
        <div className={styles.pair}>
          {(['gte', 'lte'] as const).map((end) => (
            <Field
              key={`${field} ${end}`}
              label={end === 'gte' ? 'From' : 'To'}
              error={end === 'gte' ? problem : undefined}
            >
              <ValueInput of={type} name={end} onChange={() => setProblem(undefined)} />
            </Field>
          ))}
        </div>
      )}
      {field !== '' && takes !== 'nothing' && takes !== 'range' && (
        <Field
          label={takes === 'list' ? 'Values' : 'Value'}
          hint={
            takes === 'list' ? 'Separated by commas. Put one with a comma in quotes.' : undefined
          }
          error={problem}
        >
          <ValueInput
            key={field}
            of={takes === 'list' ? 'STRING' : type}
            name="value"
            // A list of several values is not completed.
            list={takes === 'list' ? undefined : options}
            required={field === tagField || (type !== undefined && type !== 'STRING')}
            onFocus={({ target }) => setTyped((target as HTMLInputElement).value)}
            onChange={({ target }) => {
              setProblem(undefined);
              setTyped((target as HTMLInputElement).value);
            }}
          />
        </Field>
      )}
      {field === tagField && <TagOptions id={options} typed={typed} />}
      {field !== '' && field !== tagField && (
        <ValueOptions id={options} typed={typed} property={field} />
      )}
      <div className={styles.pair}>
        <Field label="Created from">
          <input type="date" name="from" defaultValue={view.from} />
        </Field>
        <Field label="Created until">
          <input type="date" name="to" defaultValue={view.to} />
        </Field>
      </div>
      <Button kind="primary" type="submit">
        Apply
      </Button>
    </form>
  );
}
