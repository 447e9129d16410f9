import type { Invocation } from '../../core/call/invocation.ts'
import { isObject } from '../../core/tool/json.ts'
import { decodeBase64 } from '../../outbound/base64.ts'
import type { HttpBody } from './implementation.ts'
import { serializePlainText, type Serialization, serializeQuery } from './serialization.ts'

export interface BodyField {
  readonly name: string
  readonly steps: readonly string[]
  readonly value: unknown
  readonly serialization: Serialization & { readonly content_type?: string | undefined }
}

type Files = Invocation['files']
type Tree = Map<string, unknown>

export const FORM_EXPLODED: Serialization = { style: 'form', explode: true, allow_reserved: false }

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  raw: 'text/plain; charset=utf-8',
  multipart: undefined,
} as const

/** Returns undefined if there is nothing to send. A declared JSON body is sent even when empty, as `{}`. */
export function encodeBody(declared: HttpBody | undefined, fields: readonly BodyField[], whole: unknown, files: Files) {
  const type = declared?.type ?? 'json'
  if (type === 'none') return undefined
  const isWhole = declared?.input !== undefined
  if (isWhole && (whole === undefined || (whole === null && type !== 'json'))) return undefined
  if (!isWhole && fields.length === 0 && !(declared && type === 'json')) return undefined
  const contentType = declared?.content_type ?? CONTENT_TYPES[type]

  switch (type) {
    case 'json':
      return { content: JSON.stringify(isWhole ? whole : nested(fields)), contentType }
    case 'raw': {
      const file = readFile(whole, files)
      if (file) return { content: file.bytes, contentType: declared?.content_type ?? file.contentType }
      return { content: serializePlainText(whole), contentType }
    }
    case 'form':
    case 'multipart': {
      const all = isWhole ? listFormFields(whole, declared) : fields
      if (!all) return { problem: `wanted an object as the ${type} body, got ${typeof whole}` }
      return type === 'form'
        ? {
            content: all.flatMap((each) => serializeQuery(each.name, each.value, each.serialization)).join('&'),
            contentType,
          }
        : { content: formData(all, files), contentType }
    }
  }
}

/** Builds with maps rather than objects, so that names such as `__proto__` have no special meaning. */
function nested(fields: readonly BodyField[]): unknown {
  const root: Tree = new Map()
  for (const { steps, value } of fields) {
    let tree = root
    for (const step of steps.slice(0, -1)) {
      const next = tree.get(step)
      const child: Tree = next instanceof Map ? next : new Map()
      tree.set(step, child)
      tree = child
    }
    const last = steps.at(-1)
    if (last !== undefined) tree.set(last, value)
  }
  return plain(root)
}

function plain(value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries([...value].map(([key, each]) => [key, plain(each)])) : value
}

function listFormFields(whole: unknown, { type, encoding }: HttpBody): BodyField[] | undefined {
  if (!isObject(whole)) return undefined
  return Object.entries(whole).map(([name, field]) => {
    const serialization: BodyField['serialization'] =
      (Object.hasOwn(encoding, name) ? encoding[name] : undefined) ?? FORM_EXPLODED
    const isText = type === 'form' && field !== null && serialization.content_type === 'application/json'
    return { name, steps: [name], value: isText ? JSON.stringify(field) : field, serialization }
  })
}

function formData(fields: readonly BodyField[], files: Files): FormData {
  const data = new FormData()
  for (const { name, value, serialization } of fields) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue
      const file = readFile(item, files, serialization.content_type)
      if (file)
        data.append(inOneLine(name), new Blob([file.bytes], { type: file.contentType }), inOneLine(file.filename))
      else data.append(inOneLine(name), serializePlainText(item))
    }
  }
  return data
}

/** HTML Standard, "multipart/form-data": in a part's header, workerd does not escape '\r', at which some servers end it. */
function inOneLine(text: string): string {
  return text.replaceAll('\r', '%0D')
}

/** Reads a file input: `{"filename", "content_type"?, "data"}`, with base64 or a handle as its data; or only a handle. */
function readFile(value: unknown, files: Files, declaredType = 'application/octet-stream') {
  const file = typeof value === 'string' ? files?.get(value) : undefined
  if (file) return { ...file, filename: file.filename ?? 'file' }
  if (!isObject(value)) return undefined
  const { filename, content_type: contentType = declaredType, data } = value
  if (typeof filename !== 'string' || typeof contentType !== 'string' || typeof data !== 'string') return undefined
  const bytes = files?.get(data)?.bytes ?? decodeBase64(data)
  return bytes && { filename, contentType, bytes }
}
