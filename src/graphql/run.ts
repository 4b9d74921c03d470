import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  TypeInfo,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { rolledBackIf } from '../catalogue/transaction.ts'
import { lazy } from '../lazy.ts'
import { type Context, createContext } from './context.ts'
import { requireAnswerableData } from './limits/answer-size.ts'
import { withoutRefusals } from './public-error.ts'

/** Runs one operation of a document. The result's errors have what resolvers threw. */
export type Run = (variables: Record<string, unknown>, context: Context) => ExecutionResult | Promise<ExecutionResult>

export function interpret(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Run {
  return (variableValues, contextValue) =>
    execute({ schema, document, operationName, variableValues, contextValue, hideSuggestions: true })
}

/** Interprets an operation the first time and compiles it the second time: the compiler takes 60 ms to load. */
export function compileWhenRunAgain(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Run {
  const interpreted = interpret(schema, document, operationName)
  if (hasRecursiveVariable(schema, document)) return interpreted
  const compiled = lazy(async () => (await compile(schema, document, operationName)) ?? interpreted)
  const defaulted = defaultedVariables(document)
  let isFirst = true
  return async (variables, context) => {
    const isAsCompiled = !isFirst && defaulted.every((name) => variables[name] !== null)
    const run = isAsCompiled ? await compiled() : interpreted
    isFirst = false
    return run(variables, context)
  }
}

/**
 * The variables with a default: they may be used where null is not allowed, and an explicit null is an error there. The
 * compiler takes such a null for false, or passes it on.
 */
function defaultedVariables(document: DocumentNode): string[] {
  return variablesOf(document).flatMap(({ defaultValue, variable }) => (defaultValue ? variable.name.value : []))
}

function variablesOf(document: DocumentNode): VariableDefinitionNode[] {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return operations.flatMap(({ variableDefinitions = [] }) => variableDefinitions)
}

/** The compiled operation; undefined where the compiler fails. */
async function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
): Promise<Run | undefined> {
  const { compileQuery, isCompiledQuery } = await import('graphql-jit')
  const options = { disableLeafSerialization: !hasEnum(schema, document) }
  const compiled = compileQuery(schema, document, operationName, options)
  return isCompiledQuery(compiled) ? (variables, context) => compiled.query({}, context, variables) : undefined
}

/** Whether a variable's type contains itself, as a filter of filters does: the compiler would not end. */
function hasRecursiveVariable(schema: GraphQLSchema, document: DocumentNode): boolean {
  const isRecursive = (type: GraphQLType | undefined, within: readonly GraphQLType[]): boolean => {
    if (!isInputObjectType(type)) return false
    const fields = Object.values(type.getFields())
    return within.includes(type) || fields.some((field) => isRecursive(getNamedType(field.type), [...within, type]))
  }
  return variablesOf(document).some(({ type }) => isRecursive(getNamedType(typeFromAST(schema, type)), []))
}

/** Whether an enumeration is selected: its values must be serialized, unlike those of all other leaves. */
function hasEnum(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  let found = false
  const enter = () => {
    found ||= isEnumType(getNamedType(types.getType()))
  }
  visit(document, visitWithTypeInfo(types, { Field: { enter } }))
  return found
}

/** Runs a mutation whose payloads read in one transaction: nothing is written if one of its fields fails. */
export function runInTransaction(run: Run): Run {
  return async (variables, context) => {
    let jobs = 0
    const onJobQueued = () => {
      jobs++
    }
    const hasFailed = ({ errors }: ExecutionResult) => errors !== undefined
    const result = await rolledBackIf(context.catalogue, hasFailed, async (catalogue) => {
      jobs = 0
      const made = await run(variables, createContext({ ...context, catalogue, onJobQueued }))
      requireAnswerableData(made.data)
      return made
    })
    if (result.errors) return { ...result, data: null, errors: withoutRefusals(result.errors) }
    for (; jobs > 0; jobs--) context.onJobQueued()
    return result
  }
}
