import { isObject } from './json.ts'

/** One thing wrong with a document or an input: where (a JSON Pointer, RFC 6901; "" is the whole) and what. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** A value, or everything that is wrong with it. */
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] }

/** What cannot be taken, for one reason. */
export function refused(message: string, path = ''): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, message }] }
}

/** One step of a JSON Pointer, escaped as RFC 6901 section 3 says. */
export function pointerStep(key: string | number): string {
  const text = String(key)
  // Schemas are walked through by pointers, and few names hold either
  return /[~/]/.test(text) ? `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${text}`
}

/** Words in a message: `'a', 'b'`. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}

/** The steps of a JSON Pointer, unescaped; "" has none. Gives undefined for a text that is no pointer. */
export function pointerSteps(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What stands in a JSON document at the steps of a JSON Pointer (RFC 6901 section 4), only ever its own members. */
export function valueAt(document: unknown, steps: readonly string[]): unknown {
  let value = document
  for (const step of steps) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value
}

const MAX_SAID = 5
const MAX_PLACE = 150

/** What is wrong with what a caller sent, in one sentence: the first problems, and how many more there are. */
export function cannotRead(what: string, problems: readonly Problem[]): string {
  const said = problems.slice(0, MAX_SAID).map(({ path, message }) => `${path === '' ? '' : placeOf(path)}: ${message}`)
  const more = problems.length > MAX_SAID ? `; and ${problems.length - MAX_SAID} more` : ''
  return `Cannot read ${what}${said.join(';')}${more}`
}

/** A JSON Pointer in words: ` at 'context.secrets[0].value'`. */
function placeOf(pointer: string): string {
  const [first = '', ...inner] = pointerSteps(pointer) ?? []
  const place = inner.reduce((place, step) => place + (/^\d+$/.test(step) ? `[${step}]` : `.${step}`), first)
  return ` at '${place.slice(0, MAX_PLACE)}'`
}

/** The problems of an input by parameter: the first step of each path, and what is wrong there. */
export function problemsByParameter(problems: readonly Problem[]): Record<string, string> {
  const byParameter = new Map<string, string[]>()
  for (const { path, message } of problems) {
    const [name = '', ...inner] = pointerSteps(path) ?? []
    const where = inner.length > 0 ? `At '${inner.join('.')}': ${message}` : message
    byParameter.set(name, [...(byParameter.get(name) ?? []), where])
  }
  return Object.fromEntries([...byParameter].map(([name, messages]) => [name, messages.join('; ')]))
}
