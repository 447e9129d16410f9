import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { PACKED, unpackText } from './packed-field.ts'
import { type BodyMemory, MEMORY_FULL } from './request-memory.ts'

interface FileFormOptions {
  /** In bytes; also applies to each unpacked text. */
  readonly limit: number
  readonly maxFields: number
  readonly memory: BodyMemory
}

/** Parses `multipart/form-data` (RFC 7578). Files become fields with their text. Packed fields are unpacked and renamed. */
export async function parseFileForm(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  { limit, maxFields, memory }: FileFormOptions,
): Promise<Result<URLSearchParams>> {
  const [, quoted, plain = ''] = /;\s*boundary=(?:"([^"]+)"|([^;\s"]+))/i.exec(type) ?? []
  const boundary = `--${quoted ?? plain}`
  const text = new TextDecoder('latin1').decode(bytes)
  let fields = 0
  for (let at = text.indexOf(boundary); at !== -1 && fields <= maxFields; at = text.indexOf(boundary, at + 1))
    fields += 1
  if (fields > maxFields) return fail({ type: 'body-too-large', limit })
  const form = new URLSearchParams()
  try {
    const parts = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    for (const [name, value] of parts) {
      const part = typeof value === 'string' ? value : await value.text()
      if (!name.endsWith(PACKED)) form.append(name, part)
      else if (await memory.growWholeBody(limit))
        form.append(name.slice(0, -PACKED.length), (await unpackText(part, limit)) ?? '')
      else return MEMORY_FULL
    }
  } catch {
    return fail({ type: 'request-malformed', message: 'Cannot read the form: it is not valid multipart/form-data' })
  }
  return ok(form)
}
