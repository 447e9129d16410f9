import type { Principal } from '../access/principal.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type ToolRef, toRefKey } from '../tool/tool-ref.ts'
import type { FailureResult, FailureType } from '../failure/failure.ts'
import type { CompletedCall } from './idempotency.ts'
import type { Redactor } from './redact.ts'
import type { LimitStatus } from './call-limiter.ts'

/** Never holds an output or a secret, and arguments only where the key asks for that. */
export interface CallRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly call_id: string
  readonly trace_id?: string | undefined
  readonly traceparent?: string | undefined
  readonly principal: string
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly tool: string
  readonly digest?: string | undefined
  readonly dialect: string
  readonly upstream_status?: number | undefined
  readonly outcome: 'success' | FailureType
  readonly duration_ms: number
  readonly arguments?: JsonObject | undefined
}

export interface CallFacts {
  /** May be named in records: the caller may know of it. */
  found?: ToolRecord
  /** The call of it was authorized. */
  called?: ToolRecord
  userId?: string | undefined
  upstreamStatus?: number
  redactor?: Redactor | undefined
  finished?: CompletedCall
  limitStatuses?: readonly LimitStatus[]
  /** Gives back the memory of the runner's answer. */
  release?: () => void
  releaseFiles?: () => void
}

/** Anybody can ask for any text, so it is cut where there is no such tool. */
const MAX_LOGGED_REF = 200

export function toLoggedToolId(
  toolRef: ToolRef,
  found: ToolRecord | undefined,
  result?: { readonly ok: true } | FailureResult,
) {
  const failure = result?.ok === false ? result.failure : undefined
  if (failure?.type === 'tool-disabled') return failure.id
  return (
    found?.id ?? (failure?.type === 'version-unavailable' ? failure.tool : toRefKey(toolRef).slice(0, MAX_LOGGED_REF))
  )
}

export function createCallRecord(
  callId: string,
  {
    toolRef,
    traceId,
    input,
  }: { readonly toolRef: ToolRef; readonly traceId?: string | undefined; readonly input: JsonObject },
  { principal, traceparent, dialect }: Pick<CallRecord, 'traceparent' | 'dialect'> & { readonly principal: Principal },
  { found, called, userId, upstreamStatus, redactor }: CallFacts,
  result: { readonly ok: true } | FailureResult,
  { at, durationMs }: { readonly at: number; readonly durationMs: number },
): CallRecord {
  const record: CallRecord = {
    at,
    call_id: callId,
    trace_id: traceId,
    traceparent,
    principal: principal.id,
    principal_name: principal.name,
    user_id: userId,
    tool: toLoggedToolId(toolRef, found, result),
    digest: found?.digest,
    dialect,
    upstream_status: upstreamStatus,
    outcome: result.ok ? 'success' : result.failure.type,
    duration_ms: durationMs,
  }
  if (!principal.recordsArguments || !called) return record
  return { ...record, arguments: redactArguments(input, called.input, redactor) }
}

const REDACTED = '[redacted]'
const SENSITIVE =
  /pass(?:word|phrase|code)|secret|token|credential|authorization|api[_-]?key|private[_-]?key|cookie|^(?:pin|otp|cvv|cvc|ssn|iban)$/i
/** Characters of a text that are kept, and that are searched for secrets before it is cut. */
const MAX_TEXT = 200
const MAX_SEARCHED = 8_192
const MAX_ALL = 4_000
const MAX_DEPTH = 20

/**
 * The shapes of arguments, and values only of numbers, booleans, enums and what its schema marks with `x-record`, since
 * any other text may hold a secret. Values are redacted and cut, visibly, to some 4,000 characters.
 */
export function redactArguments(input: JsonObject, schema: JsonObject, redactor: Redactor | undefined): JsonObject {
  let remainingCharacters = MAX_ALL

  function text(given: string): string {
    const safe = redactor ? redactor.text(given.slice(0, MAX_SEARCHED)) : given
    const kept = safe.slice(0, MAX_TEXT)
    remainingCharacters -= kept.length
    return safe.length === kept.length && given.length <= MAX_SEARCHED ? kept : `${kept}… (${given.length} characters)`
  }

  function value(given: Json, of: JsonObject, isMarked: boolean, depth: number): Json {
    remainingCharacters -= 4
    if (remainingCharacters < 0 || depth > MAX_DEPTH) return '…'
    if (typeof given === 'string')
      return isMarked || isEnumMember(given, of) ? text(given) : `<${given.length} characters>`
    if (isJsonArray(given)) return some(given, (item) => value(item, toObjectSchema(of['items']), isMarked, depth + 1))
    if (isJsonObject(given)) return object(given, of, isMarked, depth)
    return redactor ? redactor.value(given) : given
  }

  function object(given: JsonObject, of: JsonObject, isMarked: boolean, depth: number): JsonObject {
    const properties = toObjectSchema(of['properties'])
    // Where no properties are declared, a name is a value too, and may be a secret
    const isMap = !isMarked && Object.keys(properties).length === 0
    const kept = some(isMap ? [] : Object.entries(given), ([name, item]): [string, Json] => {
      const property = Object.hasOwn(properties, name) ? toObjectSchema(properties[name]) : {}
      const isHidden = SENSITIVE.test(name) || property['writeOnly'] === true || property['format'] === 'password'
      const isRecorded = isMarked || property['x-record'] === true
      return [text(name), isHidden ? REDACTED : value(item ?? null, property, isRecorded, depth + 1)]
    })
    const left = Object.keys(given).length - kept.length
    return Object.fromEntries(left === 0 ? kept : [...kept, ['…', `${left} more`]])
  }

  function some<Item, Kept>(items: readonly Item[], keep: (item: Item) => Kept) {
    const kept: Kept[] = []
    for (const item of items) {
      if (remainingCharacters < 0) break
      kept.push(keep(item))
    }
    return kept
  }

  return object(input, schema, false, 0)
}

function toObjectSchema(schema: Json | undefined): JsonObject {
  return isJsonObject(schema) ? schema : {}
}

function isEnumMember(given: string, { enum: values, const: only }: JsonObject): boolean {
  return given === only || (isJsonArray(values) && values.includes(given))
}
