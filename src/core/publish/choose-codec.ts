import type { Codec } from '../tool/codec.ts'
import { isObject, type Json } from '../tool/json.ts'
import { quoted } from '../tool/problem.ts'

/** The codec of a dialect, or of the shape that a document has; or why there is none. */
export function chooseCodec(document: Json, dialect: string | undefined, codecs: readonly Codec[]): Codec | string {
  const names = quoted(codecs.map((codec) => codec.dialect))
  if (dialect !== undefined) {
    return codecs.find((codec) => codec.dialect === dialect) ?? `Unknown dialect '${dialect}': wanted one of ${names}`
  }
  if (!isObject(document)) return 'Must be a definition, which is an object'
  return (
    codecs.find((codec) => codec.recognises(document)) ??
    `Is not recognised as a definition of any dialect (${names}): say which with ?dialect= to see what is missing`
  )
}
