import type { Endpoint } from './endpoint.ts'

export const prefix = '/v1'

/** The endpoints at a path (undefined for an unknown path), and the raw values of its parameters. */
export interface Route {
  endpoints: readonly Endpoint[] | undefined
  values: Readonly<Record<string, string>>
  /** The endpoints at the path without its last parameter. */
  parent?: readonly Endpoint[] | undefined
}

/** Makes the function that finds the endpoints at a path. */
export function createRoutes(endpoints: readonly Endpoint[]): (path: string) => Route {
  const byPath = Map.groupBy(endpoints, ({ path }) => prefix + path)
  const templates = [...byPath.keys()].filter((path) => path.includes('{'))
  const others = new Map([...byPath].filter(([path]) => !path.includes('{')))
  return (path) => {
    const direct = others.get(path)
    if (direct) return { endpoints: direct, values: {} }
    for (const template of templates) {
      const values = valuesIn(template, path)
      if (!values) continue
      return { endpoints: byPath.get(template), values, parent: others.get(path.slice(0, path.lastIndexOf('/'))) }
    }
    return { endpoints: undefined, values: {} }
  }
}

/** The values of a template's parameters in a path; undefined if the path does not match. */
export function valuesIn(template: string, path: string): Record<string, string> | undefined {
  const [parts, given] = [template.split('/'), path.split('/')]
  const values: Record<string, string> = {}
  const fits = parts.every((part, i) => {
    const value = given[i] ?? ''
    const isParameter = part.startsWith('{')
    if (isParameter) values[part.slice(1, -1)] = value
    return isParameter ? value !== '' : value === part
  })
  return fits && parts.length === given.length ? values : undefined
}
