type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name
type CamelCased<T> = { [Name in keyof T as CamelCase<Name>]: T[Name] }

/** An object of a shape with the names of GraphQL for those of REST: `storeUuid` for `store_uuid`. */
export function camelCase<T extends object>(object: T): CamelCased<T> {
  const renamed = Object.entries(object).map(([name, value]) => [
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(renamed) as CamelCased<T>
}
