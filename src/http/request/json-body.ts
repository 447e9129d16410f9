import { malformedRequestFailure } from '../../core/call/call-options.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Json } from '../../core/tool/json.ts'
import { parseValue, type Reader } from '../../core/tool/json-reader.ts'
import { readJson } from './body.ts'
import { type BodyMemory, MEMORY_FULL } from './request-memory.ts'

type Path = Readonly<Record<string, string>>

export interface Body<B> {
  /** Bytes of memory per byte of the body; by default, the same as for a publication. */
  readonly copies?: number
  readonly reader?: () => Reader<unknown> | Promise<Reader<unknown>>
  read(request: Request, path: Path, memory: BodyMemory): Promise<Result<B>>
}

interface BodyRules<B> {
  readonly limit?: number
  readonly parts?: number
  /** Set if the body may name a URL, whose text of up to `limit` bytes is then fetched. */
  readonly fetchesSource?: true
  /** If set, an invalid body is `definition-invalid` instead of `request-malformed`. */
  readonly what?: string
  readonly isOptional?: true
  readonly readerFor?: (path: Path, value: Json) => Reader<B> | Promise<Reader<B>>
}

const DEFAULT_LIMIT = 65_536

export const NO_BODY: Body<undefined> = { read: () => Promise.resolve(ok(undefined)) }

export function jsonBody<B>(reader: Reader<B>, rules: BodyRules<B> = {}): Body<B> {
  return lazyBody(() => reader, rules)
}

export function lazyBody<B>(
  reader: () => Reader<B> | Promise<Reader<B>>,
  { limit = DEFAULT_LIMIT, parts, fetchesSource, what, isOptional, readerFor = reader }: BodyRules<B> = {},
): Body<B> {
  return {
    reader,
    async read(request, path, memory) {
      const isAbsent = isOptional && !request.headers.has('content-type')
      const json = isAbsent ? ok({}) : await readJson(request, { limit, maxParts: parts, memory })
      if (!json.ok) return json
      if (fetchesSource && !(await memory.growWholeBody(limit))) return MEMORY_FULL
      const result = parseValue(await readerFor(path, json.value), json.value)
      if (result.ok) return ok(result.value)
      const { problems } = result
      return what === undefined
        ? malformedRequestFailure(problems)
        : fail({ type: 'definition-invalid', what, problems })
    },
  }
}
