import type { InputHTMLAttributes, SelectHTMLAttributes } from 'react';
import type { Property } from '../../data/properties.js';

export type PropertyType = Property['type'];
export type PropertyValue = string | number | boolean;

export function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value that a text means. One that means none is left to the API, which says why. */
export function valueOf(type: PropertyType | undefined, text: string): PropertyValue {
  const trimmed = text.trim();
  if (type === 'NUMBER' && trimmed !== '' && !Number.isNaN(Number(trimmed))) return Number(trimmed);
  if (type === 'BOOLEAN' && booleans.includes(trimmed)) return trimmed === 'true';
  return text;
}

export const booleans: readonly string[] = ['true', 'false'];

/** Of an input for a text. */
export function inputOf(type: PropertyType | undefined): { inputMode?: 'decimal'; type?: 'date' } {
  if (type === 'NUMBER') return { inputMode: 'decimal' };
  return type === 'DATE' ? { type: 'date' } : {};
}

type Common = InputHTMLAttributes<HTMLInputElement> & SelectHTMLAttributes<HTMLSelectElement>;

/** An input for a value of a property, whose text is empty if there is none. */
export function ValueInput({ of, ...props }: Common & { of: PropertyType | undefined }) {
  if (of !== 'BOOLEAN') return <input dir="auto" autoComplete="off" {...inputOf(of)} {...props} />;
  return (
    <select {...props}>
      <option value="" />
      {booleans.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
