type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name
type CamelCased<T> = { [Name in keyof T as CamelCase<Name>]: T[Name] }

const names = new Map<string, string>()

/** An object of a shape with the names of GraphQL for those of REST: `storeUuid` for `store_uuid`. */
export function camelCase<T extends object>(object: T): CamelCased<T> {
  const renamed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const known = names.get(name) ?? name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    names.set(name, known)
    renamed[known] = value
  }
  return renamed as CamelCased<T>
}
