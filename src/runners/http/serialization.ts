import { isObject } from '../../core/tool/json.ts'
import { encodeStrictly } from '../shared/url-template.ts'

export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

export interface Serialization {
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly allow_reserved: boolean
}

/** OpenAPI 3.1, "Style Values"; RFC 6570 sections 3.2.2, 3.2.5, 3.2.7. */
export function serializePath(name: string, value: unknown, { style, explode }: Serialization): string | undefined {
  if (isAbsent(value)) return undefined
  const assignments =
    explode && isObject(value) ? members(value).map(([k, v]) => `${encodeStrictly(k)}=${encodedText(v)}`) : undefined
  if (style === 'matrix') {
    const key = encodeStrictly(name)
    const texts =
      explode && Array.isArray(value) ? present(value).map(encodedText) : [joinItems(value, ',', encodedText)]
    // Without `=` if the value is empty (RFC 6570 section 3.2.7)
    return (assignments ?? texts.map((text) => (text === '' ? key : `${key}=${text}`)))
      .map((piece) => `;${piece}`)
      .join('')
  }
  const separator = style === 'label' && explode ? '.' : ','
  const text = assignments?.join(separator) ?? joinItems(value, separator, encodedText)
  return style === 'label' ? `.${text}` : text
}

/** OpenAPI 3.1, "Style Values". Nested values, which it leaves undefined, become JSON text or nested brackets. */
export function serializeQuery(name: string, value: unknown, serialization: Serialization): string[] {
  if (isAbsent(value)) return []
  const { style, explode, allow_reserved } = serialization
  const encode = allow_reserved ? encodedReservedText : encodedText
  const key = encodeStrictly(name)
  if (typeof value !== 'object') return [`${key}=${encode(value)}`]
  if (style === 'deepObject') return serializeBrackets(name, value, encode)
  if (explode && Array.isArray(value)) return present(value).map((each) => `${key}=${encode(each)}`)
  if (explode && isObject(value)) return members(value).map(([k, v]) => `${encodeStrictly(k)}=${encode(v)}`)
  const delimiter = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  const text = joinItems(value, delimiter, encode)
  return text === '' ? [] : [`${key}=${text}`]
}

/** Does not percent-encode, because HTTP fields do not use it. */
export function serializeHeader(value: unknown, explode: boolean): string | undefined {
  if (isAbsent(value)) return undefined
  if (!explode || !isObject(value)) return joinItems(value, ',', serializePlainText)
  const assignments = members(value).map(([k, v]) => `${k}=${serializePlainText(v)}`)
  return assignments.join(',')
}

export function serializePlainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function encodedText(value: unknown): string {
  return encodeStrictly(serializePlainText(value))
}

/** RFC 6570 section 3.2.3, except for `#[]`, which queries may not contain, and `&+`, which have a meaning there. */
function encodedReservedText(value: unknown): string {
  return serializePlainText(value)
    .split(/(%[0-9A-Fa-f]{2}|[:/?@!$'()*,;=])/)
    .map((piece, index) => (index % 2 === 1 ? piece : encodeStrictly(piece)))
    .join('')
}

function joinItems(value: unknown, separator: string, encode: (value: unknown) => string): string {
  if (Array.isArray(value)) return present(value).map(encode).join(separator)
  if (isObject(value)) return members(value).flat().map(encode).join(separator)
  return encode(value)
}

function serializeBrackets(name: string, value: unknown, encode: (value: unknown) => string): string[] {
  if (isAbsent(value)) return []
  if (typeof value !== 'object') return [`${encodeStrictly(name)}=${encode(value)}`]
  const parts = Object.entries(Array.isArray(value) ? present(value) : value)
  return parts.flatMap(([key, part]) => serializeBrackets(`${name}[${key}]`, part, encode))
}

function present(items: readonly unknown[]): unknown[] {
  return items.filter((each) => !isAbsent(each))
}

function members(value: Readonly<Record<string, unknown>>) {
  return Object.entries(value).filter(([, each]) => !isAbsent(each))
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
