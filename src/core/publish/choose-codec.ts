import type { Codec, DecodeOptions } from '../tool/codec.ts'
import { isJsonArray, isObject, type Json } from '../tool/json.ts'
import { quoteList } from '../tool/problem.ts'

/** The codec of the dialect that is named, else the first that recognizes the document; or why there is none. */
export function chooseCodec(document: Json, dialect: string | undefined, codecs: readonly Codec[]): Codec | string {
  const names = quoteList(codecs.map((codec) => codec.dialect))
  const recognizedCodec = isObject(document) ? codecs.find((codec) => codec.recognizes(document)) : undefined
  if (!recognizedCodec && isObject(document) && isJsonArray(document['items']))
    return "Is a list of tools: send its 'items' as an array"
  if (dialect !== undefined) {
    return codecs.find((codec) => codec.dialect === dialect) ?? `Unknown dialect '${dialect}': wanted one of ${names}`
  }
  if (!isObject(document)) return 'Must be a definition, which is an object'
  return (
    recognizedCodec ?? `Cannot detect the dialect of this definition (${names}): set ?dialect= to see what is missing`
  )
}

/** The first other codec that can decode a list of tools, where the likely codec cannot. */
export function findOtherCodec(
  document: Json,
  options: DecodeOptions,
  likelyCodec: Codec,
  codecs: readonly Codec[],
): Codec | undefined {
  if (!isToolList(document)) return undefined
  const others = codecs.filter((codec) => codec !== likelyCodec && codec.countTools !== undefined)
  return others.find((codec) => codec.decode(document, options).ok)
}

export function isToolList(document: Json): boolean {
  return isObject(document) && isJsonArray(document['tools'])
}
