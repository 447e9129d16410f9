import { type NullField, TOO_COSTLY, type Validate } from '../schema/validator.ts'
import { exceedsMaxNodes, type Budget } from '../tool/budget.ts'
import { isJsonObject, isJsonArray, isStringArray, type Json, type JsonObject } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'
import { findClosest } from '../tool/nearest.ts'
import { encodePointerStep, type Problem, quoteList } from '../tool/problem.ts'
import { INLINE_BYTES, inlineBytes, malformedRequestFailure, SELECT } from './call-options.ts'
import type { CallableTool } from './callable-tool.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import type { CallRequest } from './call-request.ts'
import { ACCOUNT, type CallContext } from './requirements.ts'

type CallInput = Pick<CallRequest, 'input' | 'includesContextParameters' | 'context' | 'contextFieldHints'>

/** Read where each is used, since a parameter of the tool may have the same name. */
const OPTIONS = json.object({
  [ACCOUNT]: json.optional(
    json.withSchemaDescription(
      "Which of the user's accounts at a provider to use, where there are several",
      json.string(),
    ),
  ),
  [SELECT]: json.optional(
    json.withSchemaDescription('A JMESPath expression: the part of the output to return', json.string()),
  ),
  [INLINE_BYTES]: json.optional(
    json.withSchemaDescription('The most bytes of output in the answer; a larger output is a link', inlineBytes),
  ),
})

export function createContextReader<T extends object>(readers: {
  readonly [K in keyof T]: json.Reader<T[K]>
}): json.Reader<json.ObjectValue<T> & Pick<CallContext, 'values'>> {
  const reader = json.looseObject<T>(readers)
  const schema = () => {
    const { properties, ...rest } = json.toJsonSchema(reader)
    const { properties: options } = json.toJsonSchema(OPTIONS)
    return {
      ...rest,
      properties: { ...(isJsonObject(properties) ? properties : {}), ...(isJsonObject(options) ? options : {}) },
    }
  }
  return json.withSchema(schema, (value, report) => {
    const context = reader(value, report)
    if (context === json.INVALID_VALUE || !isJsonObject(value)) return context
    const valueEntries = Object.entries(value).filter(([name]) => !Object.hasOwn(readers, name))
    return valueEntries.length === 0 ? context : { ...context, values: Object.fromEntries(valueEntries) }
  })
}

/** Completes an input from the context and validates it. Returns the tool's final input, or every problem. */
export function completeInput(
  { input: callerInput, includesContextParameters = false, context, contextFieldHints }: CallInput,
  {
    record,
    contextParameters: names,
    validateInput,
    fixedArguments,
  }: Pick<CallableTool, 'record' | 'contextParameters' | 'validateInput' | 'fixedArguments'>,
  userId: string | undefined,
  budget: Budget,
): Result<JsonObject> {
  if (contextFieldHints !== undefined && context.values !== undefined) {
    const { path, fields } = contextFieldHints
    const knownNames = [...fields, ACCOUNT, SELECT, INLINE_BYTES, ...names]
    const problems = Object.keys(context.values).flatMap((name) => {
      const startsWithName = (field: string) => name.length > 2 && field.startsWith(name)
      const suggestion = knownNames.includes(name)
        ? undefined
        : (fields.find(startsWithName) ?? findClosest(name, fields))
      if (suggestion === undefined) return []
      const message = `Unknown field '${name.slice(0, 100)}' (meant '${suggestion}'?): wanted ${quoteList(knownNames)}`
      return [{ path: path + encodePointerStep(name), message }]
    })
    if (problems.length > 0) return malformedRequestFailure(problems)
  }
  const refusedNames = Object.keys(callerInput).filter((name) => fixedArguments?.names.has(name))
  if (refusedNames.length > 0)
    return fail({
      type: 'input-invalid',
      problems: refusedNames.map((name) => ({
        path: encodePointerStep(name),
        message: 'Is set by the toolset: leave it out',
      })),
    })
  const input = fixedArguments ? { ...callerInput, ...fixedArguments.values } : callerInput
  if (names.length === 0) return checkInput(validateInput, input, budget)
  const problems: Problem[] = []
  const completedValues = new Map(Object.entries(input))
  const required = isStringArray(record.input.required) ? record.input.required : []
  for (const name of names) {
    const path = encodePointerStep(name)
    const value = getContextValue(name, context, userId)
    if (completedValues.has(name) && !includesContextParameters) {
      problems.push({ path, message: "Set this in the call's context, not in the input" })
    } else if (value !== undefined) {
      completedValues.set(name, value)
    } else if (!completedValues.has(name) && required.includes(name)) {
      problems.push({ path, message: 'Is required in the context of the call: no model may infer it' })
    }
  }
  const inputResult = checkInput(validateInput, Object.fromEntries(completedValues), budget)
  if (problems.length === 0 || (!inputResult.ok && inputResult.failure.type !== 'input-invalid')) return inputResult
  const reportedPaths = new Set(problems.map(({ path }) => path))
  const inputProblems =
    inputResult.ok || inputResult.failure.type !== 'input-invalid' ? [] : inputResult.failure.problems
  return fail({
    type: 'input-invalid',
    problems: [...problems, ...inputProblems.filter(({ path }) => !reportedPaths.has(path))],
  })
}

function getContextValue(name: string, { values }: CallContext, userId: string | undefined): Json | undefined {
  if (name === 'user_id') return userId
  return values !== undefined && Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined
}

/** Validates the input. Drops `null` from optional fields whose schema forbids it, at every depth, since models send it. */
export function checkInput(validate: Validate, input: JsonObject, budget: Budget): Result<JsonObject> {
  if (exceedsMaxNodes(input)) return fail({ type: 'input-invalid', problems: TOO_COSTLY })
  const nulls: NullField[] = []
  const problems = validate(input, budget, nulls)
  if (problems.length === 0) return ok(input)
  if (nulls.length === 0) return fail({ type: 'input-invalid', problems })
  const names = new Map<object, Set<string>>()
  for (const { object, name } of nulls) names.set(object, (names.get(object) ?? new Set()).add(name))
  const withoutNulls = withoutFields(input, names)
  const remaining = validate(withoutNulls, budget)
  return remaining.length === 0 ? ok(withoutNulls) : fail({ type: 'input-invalid', problems: remaining })
}

function withoutFields<T extends Json>(value: T, names: ReadonlyMap<object, ReadonlySet<string>>): T
function withoutFields(value: Json, names: ReadonlyMap<object, ReadonlySet<string>>): Json {
  if (isJsonArray(value)) return value.map((each) => withoutFields(each, names))
  if (!isJsonObject(value)) return value
  const absent = names.get(value)
  const entries = Object.entries(value).filter(([name]) => !absent?.has(name))
  return Object.fromEntries(entries.map(([name, each]) => [name, each && withoutFields(each, names)]))
}
