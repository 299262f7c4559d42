import {
  contactPropertyCursor,
  operations,
  type InputOf,
  pageMax,
  propertyValuesLimits,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import {
  Args,
  ArgsType,
  Ctx,
  FieldResolver,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { FieldsOf, InputFieldsOf } from '../contract/fields-of.js';
import { countWithin, ListArguments, withoutNull } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { Node, NodeType } from './node.js';

type ContactPropertyShape = OutputOf<Operations['contact-properties.get']>['property'];

/** Marks entries of lists, which the service returns without description. */
const listed = Symbol('listed');

@NodeType(
  'Definition of a custom field of contacts.',
  operations['contact-properties.list'].output.shape.properties.element,
  {
    name: "Key in a contact's `properties`. Unique within the workspace.",
    label: 'Human-readable label.',
  },
)
export class ContactProperty extends Node {}

const { input: valuesInput, output: valuesOutput } = operations['contacts.property-values'];

@ArgsType()
@InputFieldsOf(valuesInput)
class PropertyValuesArguments {}

@ObjectType({ description: 'A value that contacts have in a property.' })
@FieldsOf(valuesOutput.shape.values.element)
class PropertyValue {}

@ObjectType({ description: 'What a change of the type of a contact property does.' })
@FieldsOf(operations['contact-properties.update'].output.shape.change.unwrap())
export class PropertyTypeChange {}

@Resolver(() => ContactProperty)
export class ContactPropertyResolver {
  @Cost({ entriesMax: pageMax })
  @Query(() => [ContactProperty], {
    nullable: true,
    description: 'Contact properties of the workspace, oldest first.',
  })
  async contactProperties(
    @Args(() => ListArguments) { first, after }: ListArguments,
    @Ctx() { operations: calls, requestId }: GraphqlContext,
  ): Promise<ContactPropertyShape[]> {
    const { properties } = await calls.read('contact-properties.list', {
      limit: first ?? pageMax + 1,
      ...(after != null && { after: contactPropertyCursor.of(after) }),
    });
    const count = countWithin(properties.length, { first }, pageMax, requestId);
    return properties.slice(0, count).map((property) => ({ ...property, [listed]: true }));
  }

  @Cost({ entriesMax: propertyValuesLimits.values })
  @Query(() => [PropertyValue], {
    nullable: true,
    description:
      'Frequent values of a property, of the newest 5,000 contacts, the most frequent first.',
  })
  async propertyValues(
    @Args(() => PropertyValuesArguments) given: PropertyValuesArguments,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<PropertyValue[]> {
    const input = withoutNull(given) as InputOf<Operations['contacts.property-values']>;
    return (await calls.read('contacts.property-values', input)).values;
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, { nullable: true })
  async description(
    @Root() property: ContactPropertyShape & { [listed]?: true },
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<string | undefined> {
    if (!property[listed]) return property.description;
    const found = await calls.find('contact-properties.get', { propertyId: property.id });
    return found?.property.description;
  }
}
