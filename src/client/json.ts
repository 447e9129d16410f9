export type JsonRecord = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textIn(value: unknown, field: string): string | undefined {
  const held = isObject(value) ? value[field] : undefined
  return typeof held === 'string' ? held : undefined
}

export function objectsIn(value: unknown, field: string): readonly JsonRecord[] {
  const held = isObject(value) ? value[field] : undefined
  return Array.isArray(held) ? held.filter(isObject) : []
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
