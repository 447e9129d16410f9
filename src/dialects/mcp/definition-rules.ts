import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

/** What is wrong with a Tool's texts, and with those of its annotations (MCP, `Tool` and `ToolAnnotations`). */
export function checkTexts(tool: JsonObject, path: string): readonly Problem[] {
  const problems: Problem[] = []
  for (const field of ['title', 'description']) {
    if (!isTextOrAbsent(tool[field])) problems.push({ path: `${path}/${field}`, message: 'Must be a string' })
  }
  const { annotations } = tool
  if (!isJsonObject(annotations)) return problems
  if (!isTextOrAbsent(annotations.title)) {
    problems.push({ path: `${path}/annotations/title`, message: 'Must be a string' })
  }
  for (const hint of HINTS) {
    const value = annotations[hint]
    if (value === undefined || typeof value === 'boolean') continue
    problems.push({ path: `${path}/annotations/${hint}`, message: 'Must be a boolean' })
  }
  return problems
}

/** What is wrong with a Tool's icons: whoever shows them fetches them, so they are https or come along (MCP, `Icon`). */
export function checkIcons(icons: Json | undefined, path: string): readonly Problem[] {
  if (icons === undefined) return []
  if (!Array.isArray(icons)) return [{ path: `${path}/icons`, message: 'Must be a list' }]
  return icons.flatMap((icon: Json, index) => checkIcon(icon, `${path}/icons/${index}`))
}

function checkIcon(icon: Json, path: string): readonly Problem[] {
  if (!isJsonObject(icon)) return [{ path, message: "Must be an object with a 'src'" }]
  const problems: Problem[] = []
  const { src, mimeType, sizes, theme } = icon
  if (typeof src !== 'string' || !/^(?:https:\/\/[^/]|data:)/i.test(src)) {
    problems.push({ path: `${path}/src`, message: "Must be an 'https:' or a 'data:' URL" })
  }
  if (!isTextOrAbsent(mimeType)) problems.push({ path: `${path}/mimeType`, message: 'Must be a string' })
  if (sizes !== undefined && !(Array.isArray(sizes) && sizes.every((size) => typeof size === 'string'))) {
    problems.push({ path: `${path}/sizes`, message: "Must be a list of texts such as '48x48'" })
  }
  if (theme !== undefined && theme !== 'light' && theme !== 'dark') {
    problems.push({ path: `${path}/theme`, message: "Must be 'light' or 'dark'" })
  }
  return problems
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
