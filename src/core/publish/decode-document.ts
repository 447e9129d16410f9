import type { Principal } from '../access/principal.ts'
import type { Budget } from '../tool/budget.ts'
import type { Codec, DecodeOptions, DecodeResult } from '../tool/codec.ts'
import { isJsonArray, isObject, type Json } from '../tool/json.ts'
import { type ParseResult, parseFailure, quoteList } from '../tool/problem.ts'
import { checkReadCost, checkStorable } from './check-definition.ts'

export interface DecodeDocumentOptions {
  readonly dialect: string | undefined
  readonly decodeOptions: DecodeOptions & { readonly budget: Budget }
  readonly maxBytes?: number
  /** The principal that will learn where the document is placed; if undefined, anyone may. */
  readonly publisher?: Principal | undefined
}

export interface DecodedDocument {
  readonly codec: Codec
  readonly decoded: DecodeResult
}

/**
 * Decodes a document with the codec of the named dialect, or else with the first codec that recognizes the document.
 * If the latter refuses a list of tools, the first other codec that accepts the list decodes it.
 */
export function decodeDocument(
  document: Json,
  { dialect, decodeOptions, maxBytes }: DecodeDocumentOptions,
  codecs: readonly Codec[],
): ParseResult<DecodedDocument> {
  const choice = chooseCodec(document, dialect, codecs)
  if (!choice.ok) return choice
  const problems = [
    ...checkStorable(document, 'a definition', '', maxBytes),
    ...checkReadCost(document, '', decodeOptions.budget),
  ]
  if (problems.length > 0) return { ok: false, problems }
  const decodeWith = (codec: Codec): ParseResult<DecodedDocument> => {
    const result = codec.decode(document, decodeOptions)
    return result.ok ? { ok: true, value: { codec, decoded: result.value } } : result
  }
  const first = decodeWith(choice.value)
  if (first.ok || dialect !== undefined || !isToolList(document)) return first
  const otherListCodecs = codecs.filter((codec) => codec.countTools && codec !== choice.value)
  for (const codec of otherListCodecs) {
    const other = decodeWith(codec)
    if (other.ok) return other
  }
  return first
}

export function isToolList(document: Json): boolean {
  return isObject(document) && isJsonArray(document['tools'])
}

function chooseCodec(document: Json, dialect: string | undefined, codecs: readonly Codec[]): ParseResult<Codec> {
  const names = quoteList(codecs.map((codec) => codec.dialect))
  const recognizedCodec = isObject(document) ? codecs.find((codec) => codec.recognizes(document)) : undefined
  if (!recognizedCodec && isObject(document) && isJsonArray(document['items']))
    return parseFailure("Is a list of tools: send its 'items' as an array")
  if (dialect !== undefined) {
    const codec = codecs.find((candidate) => candidate.dialect === dialect)
    return codec ? { ok: true, value: codec } : parseFailure(`Unknown dialect '${dialect}': wanted one of ${names}`)
  }
  if (!isObject(document)) return parseFailure('Must be a definition, which is an object')
  if (recognizedCodec) return { ok: true, value: recognizedCodec }
  return parseFailure(`Cannot detect the dialect of this definition (${names}): set ?dialect= to see what is missing`)
}
