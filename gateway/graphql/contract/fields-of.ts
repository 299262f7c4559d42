import { Field, type ClassType } from 'type-graphql';
import type { z } from 'zod';
import { Cost } from '../document/field-cost.js';
import { fieldsOfContract, nameObject, type ContractField } from './field-types.js';

/** Descriptions of fields, where those of the contract are about REST or missing. An empty one removes that of the contract. */
export type Descriptions<Name extends string = string> = { [Field in Name]?: string };

/**
 * Declares the fields of a contract on a class of type-graphql. Fields with another type in GraphQL are omitted from the contract,
 * and declared in the class.
 */
export const FieldsOf =
  <Contract extends z.ZodObject>(
    contract: Contract,
    descriptions: Descriptions<keyof Contract['shape'] & string> = {},
  ) =>
  (target: Function): void => {
    nameObject(target as ClassType);
    for (const [name, field] of Object.entries(fieldsOfContract(contract, 'output')))
      declareField(target, name, field, (descriptions as Descriptions)[name]);
  };

/** As `FieldsOf`, for the fields of an input or arguments. */
export const InputFieldsOf =
  (contract: z.ZodObject, descriptions: Descriptions = {}) =>
  (target: Function): void => {
    for (const [name, field] of Object.entries(fieldsOfContract(contract, 'input')))
      declareField(target, name, { ...field, entriesMax: undefined }, descriptions[name]);
  };

export function declareField(
  { prototype }: Function,
  name: string,
  { type, nullable, entriesMax, ...field }: ContractField,
  description = field.description,
): void {
  Field(type, { nullable, ...(description && { description }) })(prototype as object, name);
  if (entriesMax !== undefined) Cost({ entriesMax })(prototype as object, name);
}

/** A class for a type that is declared by its contract alone. */
export const classNamed = (name: string, parent?: ClassType): ClassType =>
  // oxlint-disable-next-line typescript/no-extraneous-class -- its decorators are called as functions
  (parent ? { [name]: class extends parent {} } : { [name]: class {} })[name]!;
