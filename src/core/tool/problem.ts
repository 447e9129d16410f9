import { isObject } from './json.ts'

/** `path` is a JSON Pointer (RFC 6901); "" is the whole document. */
export interface Problem {
  readonly path: string
  readonly message: string
}

export type ParseResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] }

export function parseFailure(
  message: string,
  path = '',
): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, message }] }
}

export function encodePointerStep(key: string | number): string {
  const text = String(key)
  return /[~/]/.test(text) ? `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${text}`
}

export function quoteList(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}

export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : `: did you mean ${quoteList(names)}?`
}

export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function getAtPointer(document: unknown, steps: readonly string[]): unknown {
  let value = document
  for (const step of steps) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value
}

const MAX_LISTED = 5
const MAX_PATH_CHARACTERS = 150

export function formatReadError(what: string, problems: readonly Problem[]): string {
  const messages = problems
    .slice(0, MAX_LISTED)
    .map(({ path, message }) => `${path === '' ? '' : formatPath(path)}: ${message}`)
  const omittedNote = problems.length > MAX_LISTED ? `; and ${problems.length - MAX_LISTED} more` : ''
  return `Cannot read ${what}${messages.join(';')}${omittedNote}`
}

function formatPath(pointer: string): string {
  const [first = '', ...inner] = parsePointer(pointer) ?? []
  const path = inner.reduce((path, step) => path + (/^\d+$/.test(step) ? `[${step}]` : `.${step}`), first)
  return ` at '${path.slice(0, MAX_PATH_CHARACTERS)}'`
}

/** Joins problems, each after its path. A problem of the whole document follows `wholePath`, if it is set. */
export function formatProblems(problems: readonly Problem[], wholePath = ''): string {
  const messages = problems.map(({ path, message }) =>
    path || wholePath ? `${path || wholePath}: ${message}` : message,
  )
  return messages.join('; ')
}

export function groupByParameter(problems: readonly Problem[]): Record<string, string> {
  const byParameter = new Map<string, string[]>()
  for (const { path, message } of problems) {
    const [name = '', ...inner] = parsePointer(path) ?? []
    const where = inner.length > 0 ? `At '${inner.join('.')}': ${message}` : message
    byParameter.set(name, [...(byParameter.get(name) ?? []), where])
  }
  return Object.fromEntries([...byParameter].map(([name, messages]) => [name, messages.join('; ')]))
}
