import type { CallRequest, CallOutcome } from '../../core/call/call-request.ts'
import { credentialValue, identifier, malformedRequestFailure } from '../../core/call/call-options.ts'
import { createContextReader } from '../../core/call/input.ts'
import { fail, type FailureResult } from '../../core/failure/failure.ts'
import { UNNAMED_PROVIDER, type CallContext, NO_CONTEXT } from '../../core/call/requirements.ts'
import { isJsonArray } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { formatToolId, isNamePart, MAX_OWN_NAME, parseToolId } from '../../core/tool/tool-id.ts'
import { BY_TOOLKIT, toDocumentRef, toIdRef, toNameRef } from '../../core/tool/tool-ref.ts'
import { EXTENSION } from '../../core/tool/definition-fields.ts'
import { inferVersion } from '../../core/tool/version.ts'
import { toFailureResponse } from './failure.ts'
import { listNameCandidates } from './names.ts'
import { isOfRfc, REQUEST_SCHEMA, RESPONSE_SCHEMA } from './schema-uri.ts'
import { findArtifactContent } from '../../core/call/artifact-output.ts'
import { toSingleValue } from '../../core/call/output.ts'
import type { NamedPart } from '../../core/call/large-output.ts'
import { describeBlock, toStorable, toStorableJson } from '../../core/call/storable-content.ts'
import { declaredModes, givesArtifacts } from '../../core/tool/metadata.ts'
import type { ToolSuccess } from '../../core/call/runner.ts'
import type { Artifact } from '../../core/tool/content.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'

/** The token is for the one authorization in the RFC's definition. The RFC's engine sends the user beside it. */
const AUTHORIZATION = json.looseObject({
  token: json.nullish(credentialValue),
  user_info: json.nullish(json.anyObject),
})
const SECRET_LIST = json.transform(
  json.array(json.looseObject({ key: json.string(), value: credentialValue })),
  (secrets) => new Map(secrets.map(({ key, value }) => [key, value])),
)
const SECRET_MAP = json.transform(json.map(credentialValue), (secrets) => new Map(Object.entries(secrets)))
const CONTEXT = json.transform(
  createContextReader({
    // A credential in the wrong place must not be repeated in the error
    authorization: json.nullish(json.hideValue(AUTHORIZATION), {}),
    secrets: json.nullish<ReadonlyMap<string, string>>(
      json.hideValue((value, report) => (isJsonArray(value) ? SECRET_LIST : SECRET_MAP)(value, report)),
      NO_CONTEXT.secrets,
    ),
    user_id: json.nullish(json.string({ max: 256 })),
    user_info: json.nullish(json.anyObject),
  }),
  ({ authorization, secrets, user_id: userId, user_info = authorization.user_info, values }): CallContext => ({
    tokens: authorization.token ? new Map([[UNNAMED_PROVIDER, authorization.token]]) : NO_CONTEXT.tokens,
    secrets,
    ...(userId ? { userId } : {}),
    ...(values || user_info ? { values: { ...values, ...(user_info ? { user_info } : {}) } } : {}),
  }),
)
export const REQUEST = json.object(
  {
    $schema: json.nullish(json.string()),
    run_id: json.nullish(identifier),
    execution_id: json.nullish(identifier),
    created_at: json.nullish(json.string()),
    tool: json.object(
      {
        name: json.string({ min: 1, max: MAX_OWN_NAME }),
        toolkit: json.nullish(json.string({ max: MAX_OWN_NAME })),
        version: json.nullish(json.string()),
      },
      EXTENSION,
    ),
    inputs: json.nullish(json.anyObject, {}),
    context: json.nullish(CONTEXT, NO_CONTEXT),
  },
  EXTENSION,
)

/** Open Tool Calling RFC, section 4.2. Its engine sends null for absent fields, and secrets as a list. */
export function decodeInvocation(body: unknown): CallRequest | FailureResult {
  const read = json.parseValue(REQUEST, body)
  if (!read.ok) return malformedRequestFailure(read.problems)
  const { $schema, run_id: traceId, execution_id: callId, tool, inputs, context } = read.value
  if ($schema !== undefined && !isOfRfc($schema, 'request'))
    return fail({ type: 'protocol-version-unsupported', version: $schema.slice(0, 200), supported: REQUEST_SCHEMA })
  return { ...nameTool(tool), callId, traceId, input: inputs, includesContextParameters: true, context }
}

export function encodeOutcome({ callId, durationMs, result, tool }: CallOutcome, finishedAt: Date): object | undefined {
  const frame = {
    $schema: RESPONSE_SCHEMA,
    execution_id: callId,
    finished_at: finishedAt.toISOString(),
    duration: durationMs,
  }
  if (!result.ok) {
    const answer = toFailureResponse(result.failure)
    return answer.kind === 'response' ? { ...frame, success: false, output: answer.output } : undefined
  }
  const output = encodeOutput(result, tool)
  return output ? { ...frame, success: true, output } : { ...frame, success: true }
}

function nameTool({ name, toolkit, version = '' }: { name: string; toolkit?: string; version?: string }) {
  const range = (/^\d{4}-\d/.test(version) ? inferVersion(version) : version) || undefined
  const [plainName = name, otherName] = listNameCandidates(name)
  if (toolkit) {
    const [toolkitName = toolkit] = listNameCandidates(toolkit)
    const toRef = (tool: string) => toIdRef(formatToolId({ toolkit: toolkitName, tool }, range))
    const toolRef = toRef(plainName)
    if (isNamePart(name)) return { toolRef }
    const documentRef = toDocumentRef({ dialect: BY_TOOLKIT, id: toolkitName, tool: name, range })
    return { toolRef, documentRef, ...(otherName !== undefined && { fallback: { toolRef: toRef(otherName) } }) }
  }
  if (parseToolId(name))
    return { toolRef: toIdRef(range === undefined || name.includes('@') ? name : `${name}@${range}`) }
  const call = toBareName(name, range)
  return plainName === name ? call : { ...call, fallback: toBareName(plainName, range) }
}

function toBareName(name: string, range: string | undefined) {
  return { toolRef: toNameRef(name, range), bareName: { name, range } }
}

/** Tools of other dialects are listed with both modes. */
const UNDECLARED_TOOL = { metadata: { available_modes: ['value', 'artifact'] } }

export function encodeOutput(success: ToolSuccess, tool?: Pick<ToolRecord, 'metadata' | 'source'>): object | undefined {
  const { elsewhere, content } = success
  const { artifact = elsewhere ?? (tool && (content || tool.metadata) ? makeArtifact(success, tool) : undefined) } =
    success
  if (artifact) return { artifact }
  const value = toSingleValue(success)
  return value === null ? undefined : { value }
}

/** Returns bytes as an artifact, and a value too if the tool declares artifacts but no values. */
export function findArtifact(
  success: ToolSuccess,
  tool: Pick<ToolRecord, 'metadata' | 'source'>,
): NamedPart | undefined {
  const record = tool.source.dialect === 'open-tool-calling' || declaredModes(tool) ? tool : UNDECLARED_TOOL
  const content = findArtifactContent(record, success)
  const part = content && toStorable(content)
  if (content && part) return { part, name: describeBlock(content) }
  const value = toSingleValue(success)
  const becomesArtifact = value !== null && givesArtifacts(record) && declaredModes(record)?.includes('value') === false
  return becomesArtifact ? { part: toStorableJson(value), name: 'What the tool gave' } : undefined
}

/** Returns content that was not stored as an artifact, in a `data:` URL. */
function makeArtifact(success: ToolSuccess, tool: Pick<ToolRecord, 'metadata' | 'source'>): Artifact | undefined {
  const namedPart = findArtifact(success, tool)
  if (!namedPart) return undefined
  const { content, contentType: content_type } = namedPart.part
  const meta = { description: namedPart.name }
  if ('text' in content) {
    const text = content.text.toWellFormed()
    const url = `data:${content_type};charset=utf-8,${encodeURIComponent(text)}`
    return { url, content_type, size: new TextEncoder().encode(text).length, meta }
  }
  const { base64 } = content
  const padding = /={0,2}$/.exec(base64)?.[0].length ?? 0
  const size = Math.floor((base64.length * 3) / 4) - padding
  return { url: `data:${content_type};base64,${base64}`, content_type, size, meta }
}
