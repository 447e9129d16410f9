import { pointerSteps } from '../../core/tool/problem.ts'
import { parseUrlTemplate, variableNames } from '../shared/url-template.ts'
import type { HttpImplementation } from './implementation.ts'

/** An input without a parameter fills the URL's free variable of its name, else the query or the body, by the method. */
export function unplacedInputs(
  implementation: HttpImplementation,
): (input: string) => 'path' | 'query' | 'body' | undefined {
  const { method, parameters, body } = implementation
  const placed = new Set(parameters.map((each) => each.input))
  if (body?.input !== undefined) placed.add(body.input)
  const unfilled = unfilledVariables(implementation)
  const rest = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? 'query' : 'body'
  return (input) => {
    if (placed.has(input)) return undefined
    return unfilled.has(input) ? 'path' : rest
  }
}

export function bodyHasFields({ method, body }: HttpImplementation): boolean {
  return method !== 'GET' && method !== 'HEAD' && body?.type !== 'none' && body?.input === undefined
}

/** A name that starts with `/` is a JSON Pointer into a JSON body (RFC 6901). */
export function bodyFieldSteps({ body }: HttpImplementation, name: string): readonly string[] {
  const isJson = body === undefined || body.type === 'json'
  const steps = isJson && name.startsWith('/') ? pointerSteps(name) : undefined
  return steps ?? [name]
}

function unfilledVariables({ url, parameters, credentials }: HttpImplementation): Set<string> {
  const template = parseUrlTemplate(url)
  if ('problem' in template) return new Set()
  const filled = new Set([...parameters, ...credentials].flatMap((each) => (each.in === 'path' ? [each.name] : [])))
  const names = [...variableNames(template.path), ...variableNames(template.query ?? [])]
  return new Set(names.filter((name) => !filled.has(name)))
}
