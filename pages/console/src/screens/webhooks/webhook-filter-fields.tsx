import { Plus, X } from 'lucide-react';
import { useId, useRef, useState, type ReactNode } from 'react';
import { useProperties, type Property } from '../../data/properties.js';
import { Button, IconButton } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { conditionKinds, tagKinds, type ConditionKind } from '../contacts/condition.js';
import { TagOptions, ValueOptions } from '../contacts/options.js';
import styles from './webhook-filter-fields.module.css';
import {
  filterPlaces,
  propertyPrefix,
  rowsOf,
  textOf,
  type FilterRow,
  type FilterRows,
} from './webhook-filter.js';

interface FilterFieldsProps {
  /** As JSON; empty for none. */
  value: string;
  onChange: (value: string) => void;
  errorOf: (place: string) => string | undefined;
}

/** Which events of contacts a webhook receives: rows of conditions, or JSON for what these cannot express. */
export function FilterFields({ value, onChange, errorOf }: FilterFieldsProps) {
  const [isJson, setJson] = useState(() => rowsOf(value) === undefined);
  const isExpressible = rowsOf(value) !== undefined;
  const places = filterPlaces(value);
  return (
    <fieldset className={styles.filter}>
      <legend>Filter</legend>
      <p className={styles.hint}>
        {value.trim() === ''
          ? 'All events of these kinds are received.'
          : 'Events that are not about a contact, such as “Import ended”, are not received.'}
      </p>
      {isJson ? (
        <Field
          label="Filter as JSON"
          error={firstOf(places, errorOf)}
          hint="With changed, tag, status and property, as in the API. Empty for all events."
        >
          <textarea
            rows={3}
            value={value}
            placeholder='{"tag": ["any:vip,customer"]}'
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
          />
        </Field>
      ) : (
        <Conditions value={value} onChange={onChange} errorOf={errorOf} />
      )}
      {isJson && !isExpressible ? (
        <p className={styles.hint}>This filter can only be edited as JSON.</p>
      ) : (
        <Button kind="quiet" onClick={() => setJson(!isJson)}>
          {isJson ? 'Edit as conditions' : 'Edit as JSON'}
        </Button>
      )}
    </fieldset>
  );
}

/** The first error, with its place within the filter. */
function firstOf(
  places: readonly string[],
  errorOf: FilterFieldsProps['errorOf'],
): string | undefined {
  const place = places.find((one) => errorOf(one) !== undefined);
  if (place === undefined) return undefined;
  const within = place.slice('filter/'.length);
  return within === '' ? errorOf(place) : `${within}: ${errorOf(place)}`;
}

/** Rows have keys of their own: those that follow a removed one keep their focus. */
interface Keyed {
  key: number;
}
interface KeyedRows {
  changed: (Keyed & { field: string })[];
  conditions: (Keyed & FilterRow)[];
}

function Conditions({ value, onChange, errorOf }: FilterFieldsProps) {
  const { properties } = useProperties();
  const lastKey = useRef(0);
  const nextKey = () => (lastKey.current += 1);
  const [{ changed, conditions }, setRows] = useState((): KeyedRows => {
    const rows: FilterRows = rowsOf(value)!;
    return {
      changed: rows.changed.map((field) => ({ key: nextKey(), field })),
      conditions: rows.conditions.map((row) => ({ key: nextKey(), ...row })),
    };
  });
  const [added, setAdded] = useState<number>();
  const change = (more: Partial<KeyedRows>) => {
    const rows = { changed, conditions, ...more };
    setRows(rows);
    onChange(
      textOf({
        changed: rows.changed.map(({ field }) => field),
        conditions: rows.conditions,
      }),
    );
  };
  const [addField, addCondition] = [
    useRef<HTMLButtonElement>(null),
    useRef<HTMLButtonElement>(null),
  ];
  const add = (more: (key: number) => Partial<KeyedRows>) => {
    const key = nextKey();
    setAdded(key);
    change(more(key));
  };
  const ofRows = new Set([
    ...changed.map((_, at) => `filter/changed/${at}`),
    ...conditions.map((_, at) => placeOf(conditions, at)),
  ]);
  const ofOthers = firstOf(
    filterPlaces(value).filter((place) => !ofRows.has(place)),
    errorOf,
  );
  return (
    <>
      <div className={styles.group} role="group" aria-label="Changed fields">
        {changed.length > 0 && <p>Only if one of these has changed:</p>}
        <ul>
          {changed.map(({ key, field }, at) => (
            <Row
              key={key}
              name={`Changed field ${at + 1}`}
              joint={at > 0 && 'or'}
              error={errorOf(`filter/changed/${at}`)}
              onRemove={() => {
                change({ changed: changed.filter((one) => one.key !== key) });
                addField.current?.focus();
              }}
            >
              {(described) => (
                <select
                  aria-label="Field"
                  aria-describedby={described}
                  className={styles.wide}
                  value={field}
                  autoFocus={key === added}
                  onChange={({ target }) =>
                    change({ changed: changed.with(at, { key, field: target.value }) })
                  }
                >
                  {optionsOf(changeable(properties), field).map(([one, words]) => (
                    <option key={one} value={one}>
                      {words}
                    </option>
                  ))}
                </select>
              )}
            </Row>
          ))}
        </ul>
        <Button
          kind="quiet"
          ref={addField}
          icon={<Plus size={15} aria-hidden />}
          onClick={() => add((key) => ({ changed: [...changed, { key, field: 'email' }] }))}
        >
          Changed field
        </Button>
      </div>
      <div className={styles.group} role="group" aria-label="Conditions">
        {conditions.length > 0 && <p>Only of contacts that match all of these:</p>}
        <ul>
          {conditions.map(({ key, ...row }, at) => (
            <Row
              key={key}
              name={`Condition ${at + 1}`}
              joint={at > 0 && 'and'}
              error={errorOf(placeOf(conditions, at))}
              onRemove={() => {
                change({ conditions: conditions.filter((one) => one.key !== key) });
                addCondition.current?.focus();
              }}
            >
              {(described) => (
                <Condition
                  row={row}
                  taken={conditions.map(({ about }) => about)}
                  properties={properties}
                  isNew={key === added}
                  described={described}
                  onChange={(more) =>
                    change({ conditions: conditions.with(at, { key, ...row, ...more }) })
                  }
                />
              )}
            </Row>
          ))}
        </ul>
        <Button
          kind="quiet"
          ref={addCondition}
          icon={<Plus size={15} aria-hidden />}
          onClick={() =>
            add((key) => ({
              conditions: [...conditions, { key, about: 'tag', kind: 'is', value: '' }],
            }))
          }
        >
          Condition
        </Button>
      </div>
      {ofOthers !== undefined && (
        <p className={styles.error} role="alert">
          {ofOthers}
        </p>
      )}
    </>
  );
}

/** Tags, and several conditions on one property, are an array: the place of a condition is that among those on the same. */
function placeOf(conditions: readonly FilterRow[], at: number): string {
  const { about } = conditions[at]!;
  const isSame = (one: FilterRow) => one.about === about;
  if (about !== 'tag' && conditions.filter(isSame).length === 1) return `filter/${about}`;
  return `filter/${about}/${conditions.slice(0, at).filter(isSame).length}`;
}

interface RowProps {
  name: string;
  /** How it is joined with the row before it. */
  joint: string | false;
  error: string | undefined;
  onRemove: () => void;
  /** @param described ID of the error */
  children: (described: string | undefined) => ReactNode;
}

function Row({ name, joint, error, onRemove, children }: RowProps) {
  const id = useId();
  return (
    <li>
      {joint && <span className={styles.joint}>{joint}</span>}
      <div className={styles.row} role="group" aria-label={name}>
        {children(error === undefined ? undefined : id)}
        <IconButton
          label={`Remove ${name.toLowerCase()}`}
          icon={<X size={15} aria-hidden />}
          onClick={onRemove}
        />
      </div>
      {error !== undefined && (
        <p id={id} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </li>
  );
}

interface ConditionProps {
  row: FilterRow;
  /** What the rows are about. */
  taken: readonly string[];
  properties: readonly Property[];
  isNew: boolean;
  described: string | undefined;
  onChange: (more: Partial<FilterRow>) => void;
}

function Condition({ row, taken, properties, isNew, described, onChange }: ConditionProps) {
  const { about, kind, value } = row;
  const options = useId();
  const [typed, setTyped] = useState<string>();
  const isTag = about === 'tag';
  const { takes } = conditionKinds[kind];
  const kinds = isTag ? tagKinds : (Object.keys(conditionKinds) as ConditionKind[]);
  const select = (next: string) => {
    if (next === 'status') onChange({ about: next, kind: 'is', value: 'subscribed' });
    else
      onChange({
        about: next,
        ...(next === 'tag' && !tagKinds.includes(kind) && { kind: 'is' }),
        ...(about === 'status' && { value: '' }),
      });
  };
  return (
    <>
      <select
        aria-label="Tag, status or property"
        value={about}
        autoFocus={isNew}
        onChange={({ target }) => select(target.value)}
      >
        {optionsOf(comparable(properties), about).map(([one, words]) => (
          // A contact has one status: a second condition on it says nothing.
          <option
            key={one}
            value={one}
            disabled={one === 'status' && one !== about && taken.includes(one)}
          >
            {words}
          </option>
        ))}
      </select>
      {about === 'status' ? (
        <select
          aria-label="Status"
          aria-describedby={described}
          value={value}
          onChange={({ target }) => onChange({ value: target.value })}
        >
          <option value="subscribed">is subscribed</option>
          <option value="unsubscribed">is unsubscribed</option>
        </select>
      ) : (
        <select
          aria-label="Comparison"
          aria-describedby={takes === 'nothing' ? described : undefined}
          value={kind}
          onChange={({ target }) => onChange({ kind: target.value as ConditionKind })}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {conditionKinds[one].label}
            </option>
          ))}
        </select>
      )}
      {about !== 'status' && takes !== 'nothing' && (
        <input
          aria-label={takes === 'list' ? 'Values, separated by commas' : 'Value'}
          aria-describedby={described}
          aria-invalid={described !== undefined || undefined}
          className={styles.value}
          placeholder={takes === 'list' ? 'Values, separated by commas' : undefined}
          // A list of several values is not completed.
          list={takes === 'list' ? undefined : options}
          autoComplete="off"
          required={isTag || takes === 'list'}
          value={value}
          onFocus={() => setTyped(value)}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange({ value: target.value });
          }}
        />
      )}
      {isTag && <TagOptions id={options} typed={typed} />}
      {about.startsWith(propertyPrefix) && (
        <ValueOptions id={options} typed={typed} property={about.slice(propertyPrefix.length)} />
      )}
    </>
  );
}

type Option = readonly [value: string, words: string];

const changeable = (properties: readonly Property[]): Option[] => [
  ['email', 'Address'],
  ['name', 'Name'],
  ['tags', 'Tags'],
  ['status', 'Status'],
  ['externalId', 'External ID'],
  ['properties', 'Any property'],
  ...properties.map(({ name, label }): Option => [`properties.${name}`, label]),
];

const comparable = (properties: readonly Property[]): Option[] => [
  ['tag', 'Tag'],
  ['status', 'Status'],
  ...properties.map(({ name, label }): Option => [propertyPrefix + name, label]),
];

/** With the chosen one, which may be of a property that is not defined. */
const optionsOf = (options: readonly Option[], chosen: string): readonly Option[] =>
  options.some(([one]) => one === chosen)
    ? options
    : [...options, [chosen, chosen.replace(/^(?:properties\.|property\/)/, '')]];
