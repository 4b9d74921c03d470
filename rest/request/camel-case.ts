type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name
type CamelCased<T> = { [Name in keyof T as CamelCase<Name>]: T[Name] }

/** An object of a shape with the names of GraphQL for those of REST: `storeUuid` for `store_uuid`. */
export function camelCase<T extends object>(object: T): CamelCased<T> {
  const renamed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) renamed[camelCaseName(name)] = value
  return renamed as CamelCased<T>
}

function camelCaseName(name: string): string {
  if (!name.includes('_')) return name
  const [first = '', ...others] = name.split('_')
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
