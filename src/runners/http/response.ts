import { parseJson } from '../../core/tool/json.ts'
import { pointerSteps, valueAt } from '../../core/tool/problem.ts'
import type { RunResult } from '../../core/call/runner.ts'
import type { ToolFailure } from '../../core/tool/tool-failure.ts'
import { base64OfBytes } from '../../outbound/base64.ts'
import type { GuardedResponse } from '../../outbound/guarded-fetch.ts'
import type { Redact } from '../../outbound/redaction.ts'
import { statusWords } from '../../outbound/status.ts'
import { failureFields } from '../shared/failure-fields.ts'
import { answeredFailure, excerpt } from '../shared/server-failure.ts'
import type { HttpResponseMapping } from './implementation.ts'
import type { BuiltRequest } from './request.ts'

interface FailedRun {
  readonly ok: false
  readonly failure: ToolFailure
}

/**
 * Makes a tool's result of what a server answered: the value the mapping wants where the status is an expected one, else
 * a failure that says who answered what, without query, credentials or more than an excerpt of the body.
 * `now` is the time in milliseconds, for a `Retry-After` that is a date.
 */
export function readResponse(
  response: GuardedResponse,
  mapping: HttpResponseMapping,
  { method, shown, redact }: Pick<BuiltRequest, 'method' | 'shown' | 'redact'>,
  now: number,
): RunResult {
  const { status, headers, body } = response
  const failed = (message: string): FailedRun => {
    const answer = { status, headers, text: decode(response) }
    return { ok: false, failure: answeredFailure(message, answer, `${method} ${shown.url}`, redact, now) }
  }
  if (!isExpected(status, mapping)) {
    return withSaid(failed(`${shown.host} answered ${statusWords(status)}`), response, mapping, redact)
  }
  switch (mapping.type === 'auto' ? typeOf(response) : mapping.type) {
    case 'none':
      return { ok: true, value: null }
    case 'text':
      return { ok: true, value: decode(response) }
    case 'binary': {
      const contentType = headers.get('content-type') ?? 'application/octet-stream'
      return { ok: true, value: { content_type: contentType, data: base64OfBytes(body) } }
    }
    case 'json': {
      const text = decode(response)
      if (text.trim() === '') return { ok: true, value: null }
      const document = parseJson(text)
      if (document === undefined) return failed(`${shown.host} answered what is not JSON`)
      const value = valueAt(document, pointerSteps(mapping.pointer) ?? [])
      if (value !== undefined) return { ok: true, value }
      return failed(`${shown.host} answered JSON that has nothing at "${mapping.pointer}"`)
    }
  }
}

/** A failure with what the answer says of it itself, where the implementation says where that stands. */
function withSaid(
  failed: FailedRun,
  response: GuardedResponse,
  { error }: HttpResponseMapping,
  redact: Redact,
): FailedRun {
  if (!error) return failed
  const document = parseJson(decode(response))
  if (document === undefined) return failed
  const said = Object.fromEntries(
    Object.entries(error).map(([field, pointer]) => [field, valueAt(document, pointerSteps(pointer) ?? [])]),
  )
  const { developer_message: developer, additional_prompt_content: prompt, ...fields } = failureFields(said)
  const { message } = said
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

/** What a body is by its content type; without one, text. */
function typeOf({ headers, body }: GuardedResponse): 'json' | 'text' | 'binary' {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (body.byteLength === 0 || /[/+]json$/.test(type)) return 'json'
  return type === '' || type.startsWith('text/') || /[/+]xml$/.test(type) ? 'text' : 'binary'
}

/** Whether the mapping counts a status as success. */
export function isExpected(status: number, { statuses }: HttpResponseMapping): boolean {
  return statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`)
}

/** The body as text, in the charset its content type names, or else in UTF-8; a byte order mark is dropped. */
function decode({ headers, body }: GuardedResponse): string {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8'
  return decoder(charset).decode(body)
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
