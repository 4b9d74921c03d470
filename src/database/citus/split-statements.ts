const statement = /(?:--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^;])+;/g

/** The statements of a script: Citus sends the text that changes a table to each server, where it has to be one. */
export function splitStatements(script: string): string[] {
  return script.match(statement) ?? []
}
