import { FOREIGN_JSON, type JsonLimits, parseJson } from '../../core/tool/json-text.ts'
import { parsePointer, getAtPointer } from '../../core/tool/problem.ts'
import type { RunContext, RunResult } from '../../core/call/runner.ts'
import { keywordsWhere } from '../../core/schema/keywords.ts'
import type { Content } from '../../core/tool/content.ts'
import { givesArtifacts } from '../../core/tool/metadata.ts'
import type { JsonSchema, ToolRecord } from '../../core/tool/tool.ts'
import { encodeBase64 } from '../../outbound/base64.ts'
import type { GuardedResponse } from '../../outbound/guarded-fetch.ts'
import type { Redact } from '../../outbound/redaction.ts'
import { formatStatus } from '../../outbound/status.ts'
import { statusFailure, excerpt, type UpstreamFailure, failureFields, type Secrecy } from '../shared/server-failure.ts'
import type { HttpResponseMapping } from './implementation.ts'
import type { BuiltRequest } from './request.ts'

type FailedRun = UpstreamFailure['result']

export interface ResponseRule extends Omit<HttpResponseMapping, 'type'> {
  readonly type: NonNullable<HttpResponseMapping['type']> | 'declared'
}

const CONSTRAINING = keywordsWhere(({ role }) => role === 'applicator' || role === 'assertion' || role === 'reference')

export function resolveResponseRule(
  { type, ...mapping }: HttpResponseMapping,
  record: Pick<ToolRecord, 'output' | 'metadata'>,
): ResponseRule {
  const isDeclared = mapping.pointer === '' && (mayBeText(record.output) || givesArtifacts(record))
  return { ...mapping, type: type ?? (isDeclared ? 'declared' : 'json') }
}

function mayBeText(output: JsonSchema | null): boolean {
  if (output === null || typeof output === 'boolean') return output === true
  const { type } = output
  if (type !== undefined) return type === 'string' || (Array.isArray(type) && type.includes('string'))
  return !Object.keys(output).some((keyword) => CONSTRAINING.has(keyword))
}

interface ResponseContext extends Pick<BuiltRequest, 'displayTarget' | keyof Secrecy>, Pick<RunContext, 'budget'> {
  readonly method: string
}

/** A failure shows no query or credentials, and if one was sent, of the body only `mapping.error`. `now` is in milliseconds. */
export function readResponse(
  response: GuardedResponse,
  mapping: ResponseRule,
  { method, displayTarget, budget, ...secrecy }: ResponseContext,
  now: number,
): RunResult {
  const { status, headers, body } = response
  const limits = { ...FOREIGN_JSON, budget }
  const failed = (message: string): FailedRun => {
    const answer = { status, headers, text: decode(response) }
    return { ok: false, failure: statusFailure(message, answer, `${method} ${displayTarget.url}`, secrecy, now) }
  }
  if (!isExpected(status, mapping)) {
    const failedRun = failed(`${displayTarget.host} answered ${formatStatus(status)}`)
    return withStatedFailure(failedRun, response, mapping, secrecy.redact, limits)
  }
  const notText = `${displayTarget.host} answered what is not ${decoder(headers, false).encoding.toUpperCase()}`
  const isDeclared = mapping.type === 'declared'
  switch (
    mapping.type === 'auto' || mapping.type === 'declared'
      ? findResponseType(response, isDeclared, limits)
      : mapping.type
  ) {
    case 'none':
      return { ok: true, value: null }
    case 'text': {
      const text = decodeStrictly(response)
      return text === undefined ? failed(notText) : { ok: true, value: text }
    }
    case 'binary': {
      const contentType = headers.get('content-type') ?? 'application/octet-stream'
      const data = encodeBase64(body)
      const content = [toContentBlock(data, mediaType(headers) || contentType)]
      return { ok: true, value: isDeclared ? null : { content_type: contentType, data }, content }
    }
    case 'json': {
      const text = decodeStrictly(response)
      if (text === undefined) return failed(notText)
      if (text.trim() === '') return { ok: true, value: null }
      const read = parseJson(text, { ...limits, what: `what ${displayTarget.host} answered` })
      if (!read.ok) return failed(read.isJson ? read.message : `${displayTarget.host} answered what is not JSON`)
      const value = getAtPointer(read.value, parsePointer(mapping.pointer) ?? [])
      if (value !== undefined) return { ok: true, value }
      return failed(`${displayTarget.host} answered JSON that has nothing at "${mapping.pointer}"`)
    }
  }
}

function withStatedFailure(
  failed: FailedRun,
  response: GuardedResponse,
  { error }: Pick<HttpResponseMapping, 'error'>,
  redact: Redact,
  limits: JsonLimits,
): FailedRun {
  if (!error) return failed
  const read = parseJson(decode(response), limits)
  if (!read.ok) return failed
  const stated = Object.fromEntries(
    Object.entries(error).map(([field, pointer]) => [field, getAtPointer(read.value, parsePointer(pointer) ?? [])]),
  )
  const { developer_message: developer, additional_prompt_content: prompt, ...fields } = failureFields(stated)
  const { message } = stated
  return {
    ok: false,
    failure: {
      ...failed.failure,
      ...fields,
      ...(typeof message === 'string' && message !== '' ? { message: excerpt(message, redact) } : {}),
      ...(developer === undefined ? {} : { developer_message: excerpt(developer, redact) }),
      ...(prompt === undefined ? {} : { additional_prompt_content: excerpt(prompt, redact) }),
    },
  }
}

function findResponseType(
  response: GuardedResponse,
  mayBeJson: boolean,
  limits: JsonLimits,
): 'json' | 'text' | 'binary' {
  const type = mediaType(response.headers)
  if (response.body.byteLength === 0 || /[/+]json$/.test(type)) return 'json'
  if (type === '') {
    const text = decodeStrictly(response)
    if (text === undefined) return 'binary'
    if (mayBeJson && parseJson(text, limits).ok) return 'json'
  }
  return type === '' || type.startsWith('text/') || /[/+]xml$/.test(type) ? 'text' : 'binary'
}

function mediaType(headers: GuardedResponse['headers']): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function toContentBlock(data: string, mimeType: string): Content {
  const [kind] = mimeType.split('/')
  return kind === 'image' || kind === 'audio'
    ? { type: kind, data, mimeType }
    : { type: 'resource', resource: { mimeType, blob: data } }
}

export function isExpected(status: number, { statuses }: Pick<HttpResponseMapping, 'statuses'>): boolean {
  return statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`)
}

function decode({ headers, body }: GuardedResponse): string {
  return decoder(headers, false).decode(body)
}

/** Returns undefined if some bytes are invalid in the charset, rather than text with replacement characters. */
function decodeStrictly({ headers, body }: GuardedResponse): string | undefined {
  try {
    return decoder(headers, true).decode(body)
  } catch {
    return undefined
  }
}

function decoder(headers: Headers, fatal: boolean): TextDecoder {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: false })
  } catch {
    return new TextDecoder('utf-8', { fatal, ignoreBOM: false })
  }
}
