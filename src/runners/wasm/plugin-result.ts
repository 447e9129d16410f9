import { isObject, parseJson } from '../../core/tool/json.ts'
import type { RunResult, Usage } from '../../core/call/runner.ts'
import { failed } from '../sandbox/answer.ts'
import { readCallToolResult } from '../shared/call-tool-result.ts'

/** Reads a plugin's CallToolResult, `{content: [{type, …}], isError?}`, as its schema and as plugins in use have it. */
export function readPluginResult(text: string, usage: Usage): RunResult {
  const result = parseJson(text)
  if (result === undefined) return failed('The plugin answered with something that is no JSON')
  if (!isObject(result) || !Array.isArray(result.content)) {
    return failed("The plugin answered with something that is no CallToolResult: 'content' must be an array")
  }
  const { content, structuredContent, isError } = result
  const read = readCallToolResult(content, structuredContent ?? undefined, isError === true, 'The plugin')
  return read.ok ? { ...read, usage } : failed(read.message)
}
