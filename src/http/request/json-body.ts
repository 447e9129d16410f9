import { malformed } from '../../core/call/call-fields.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Json } from '../../core/tool/json.ts'
import { check, type Reader } from '../../core/tool/json-reader.ts'
import { readJson } from './body.ts'

type Path = Readonly<Record<string, string>>

/** The body that a route takes: declared once, for whatever reads it and whatever describes it. */
export interface Body<B> {
  /** Gives the reader whose schema describes it; absent where there is no body, or it is no JSON. */
  readonly reader?: () => Reader<unknown> | Promise<Reader<unknown>>
  read(request: Request, path: Path): Promise<Result<B>>
}

interface BodyRules<B> {
  /** In bytes; 64 KiB where nothing is said. */
  readonly limit?: number
  /** The name of what is sent, where a body that does not fit is `definition-invalid` and not `request-malformed`. */
  readonly what?: string
  /** Whether no body at all stands for `{}`. */
  readonly isOptional?: true
  /** Gives the reader for a request that it depends on; it is to have the schema of the other one. */
  readonly readerFor?: (path: Path, sent: Json) => Reader<B> | Promise<Reader<B>>
}

const DEFAULT_LIMIT = 65_536

/** The body of a route that reads none, or one that is no JSON. */
export const NO_BODY: Body<undefined> = { read: () => Promise.resolve(ok(undefined)) }

/** Declares a body of JSON. To read it fails as `readJson` does, or with everything that the reader finds. */
export function jsonBody<B>(reader: Reader<B>, rules: BodyRules<B> = {}): Body<B> {
  return loadedBody(() => reader, rules)
}

/** Declares a body of JSON whose reader few requests need, so that it is loaded with the first of them. */
export function loadedBody<B>(
  reader: () => Reader<B> | Promise<Reader<B>>,
  { limit = DEFAULT_LIMIT, what, isOptional, readerFor = reader }: BodyRules<B> = {},
): Body<B> {
  return {
    reader,
    async read(request, path) {
      const isAbsent = isOptional && !request.headers.has('content-type')
      const sent = isAbsent ? ok({}) : await readJson(request, limit)
      if (!sent.ok) return sent
      const checked = check(await readerFor(path, sent.value), sent.value)
      if (checked.ok) return ok(checked.value)
      const { problems } = checked
      return what === undefined ? malformed(problems) : fail({ type: 'definition-invalid', what, problems })
    },
  }
}
