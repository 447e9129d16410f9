import type { YieldControl } from '../../core/tool/budget.ts'
import { isObject } from '../../core/tool/json.ts'
import { MAX_SOURCE_NODES, parseInSlices, type JsonParseResult } from '../../core/tool/json-text.ts'
import type { OpenApiNode, ConvertResult } from './description.ts'

/** Characters of a description. YAML may have fewer, because its reader needs ten times the time and memory. */
export const MAX_JSON = 16 * 1024 * 1024
export const MAX_YAML = 512 * 1024

export async function parseDocumentText(text: string, yieldControl: YieldControl): Promise<ConvertResult<OpenApiNode>> {
  if (text.length > MAX_JSON) return tooLarge(text, MAX_JSON, 'a description')
  const looksLikeJson = /^\s*\{/.test(text)
  const json = looksLikeJson ? await readJson(text, yieldControl) : undefined
  if (json?.ok) return requireObject(json.value)
  if (json?.isJson) return { ok: false, problem: json.message }
  if (text.length > MAX_YAML) {
    const what = looksLikeJson
      ? 'it is not JSON, and as YAML a description'
      : 'YAML; as JSON it may have 16 million: it'
    return tooLarge(text, MAX_YAML, what)
  }
  const { readYaml } = await import('./yaml-text.ts')
  const yaml = await readYaml(text, yieldControl)
  return yaml.ok ? requireObject(yaml.value) : yaml
}

/** Other requests wait at most for the engine's own parsing, about 30 ms for the largest text. */
async function readJson(text: string, yieldControl: YieldControl): Promise<JsonParseResult> {
  const slices = parseInSlices(text, { what: 'the description', maxParts: MAX_SOURCE_NODES })
  for (;;) {
    const { done, value } = slices.next()
    await yieldControl()
    if (done === true) return value
  }
}

export function requireObject(value: unknown): ConvertResult<OpenApiNode> {
  return isObject(value)
    ? { ok: true, value }
    : { ok: false, problem: 'Must be an OpenAPI description, which is an object' }
}

function tooLarge({ length }: string, limit: number, what: string): ConvertResult<OpenApiNode> {
  return { ok: false, problem: `Has ${length} characters: ${what} may have at most ${limit}` }
}
