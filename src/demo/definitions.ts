import type { AttributeDefinition } from '../catalog/attribute-rules.ts'

export const departments = ['Clothing', 'Footwear', 'Bags', 'Camping', 'Kitchen', 'Living']
export const colors = ['Black', 'White', 'Grey', 'Navy', 'Olive', 'Rust', 'Sand']
export const sizes = ['XS', 'S', 'M', 'L', 'XL']

/** What the demo's stores demand of their attributes; `Product Name` and others have no definition and take any text. */
export const demoDefinitions: AttributeDefinition[] = [
  definition('Department', { type: 'enum', allowedValues: departments }),
  definition('Color', { type: 'enum', allowedValues: colors }),
  definition('Size', { type: 'enum', allowedValues: sizes }),
  definition('Price', { type: 'number', pattern: '\\d+\\.\\d{2}' }),
  definition('Currency', { type: 'enum', allowedValues: ['EUR', 'GBP', 'USD'] }),
  definition('GTIN', { type: 'text', pattern: '\\d{13}' }),
  definition('Released', { type: 'date' }),
  definition('Recycled', { type: 'boolean' }),
  definition('Care', { type: 'url' }),
  definition('Short Description', { type: 'text', maxLength: 160 }),
]

function definition(
  name: string,
  rules: Pick<AttributeDefinition, 'type'> & Partial<AttributeDefinition>,
): AttributeDefinition {
  return { allowedValues: null, maxLength: null, pattern: null, ...rules, name }
}
