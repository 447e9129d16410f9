export type JsonRecord = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function getText(value: unknown, field: string): string | undefined {
  const fieldValue = isObject(value) ? value[field] : undefined
  return typeof fieldValue === 'string' ? fieldValue : undefined
}

export function listObjects(value: unknown, field: string): readonly JsonRecord[] {
  const fieldValue = isObject(value) ? value[field] : undefined
  return Array.isArray(fieldValue) ? fieldValue.filter(isObject) : []
}

export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const newTag = () => Math.random().toString(36).slice(2)
const TOKEN = /\\.|"|-?\d[-+.\deE]*/g

/** Parses JSON and throws like `JSON.parse`, but turns integers that a double would change into bigints. */
export function parseJson(text: string): ReturnType<typeof JSON.parse> {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const tag = newTag()
  let isText = false
  const tagged = text.replace(TOKEN, (token) => {
    if (token === '"') isText = !isText
    const isChanged = !isText && /^-?\d{16,308}$/.test(token) && String(Number(token)) !== token
    return isChanged ? `"${tag}${token}"` : token
  })
  return JSON.parse(tagged, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(tag) ? BigInt(value.slice(tag.length)) : value,
  )
}

/** Formats like `JSON.stringify`, with bigints as integers. `JSON.rawJSON` could do this, but Node.js 20 lacks it. */
export function formatJson(value: unknown, indent?: number): string | undefined {
  const tag = newTag()
  const text: string | undefined = JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === 'bigint' ? `${tag}${each}` : each),
    indent,
  )
  return text?.replaceAll(new RegExp(`"${tag}(-?\\d+)"`, 'g'), '$1')
}
