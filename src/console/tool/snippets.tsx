import type { Json } from '../../core/tool/json.ts'
import { indentedJson } from '../../http/page/text.ts'
import { KEY_VARIABLE } from '../../docs/agent-hosts.ts'
import { formatCurl } from '../../docs/curl.ts'
import type { CopyText } from '../parts.tsx'

interface SnippetOptions {
  readonly origin: string
  readonly isOpen: boolean
  readonly id: string
  /** The tool's name in lists without versions. */
  readonly name: string
  readonly input: Json
}

export function buildCallSnippets({ origin, isOpen, id, name, input }: SnippetOptions): readonly CopyText[] {
  const [qualifiedName = '', version = ''] = id.split('@')
  const dot = qualifiedName.indexOf('.')
  const [toolkit, tool] = [qualifiedName.slice(0, dot), qualifiedName.slice(dot + 1)]
  const command = (path: string, body: object) =>
    formatCurl({ method: 'POST', path, body: JSON.stringify(body) }, origin, isOpen)
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
  return [
    { title: 'OXP', text: command('/tools/call', { request: { tool_id: id, input } }) },
    {
      title: 'Open Tool Calling',
      text: command('/worker/tools/invoke', { tool: { name: tool, toolkit, version }, inputs: input }),
    },
    {
      title: 'Machine Context',
      text: command('/machine-context/execute', {
        header: { version: '1.0', messageId: crypto.randomUUID(), messageType: 'request' },
        payload: { tool: { id: toolkit, capability: tool, parameters: input } },
      }),
    },
    { title: 'Plugin', text: command('/plugin/call', { params: { name, arguments: input } }) },
    {
      title: 'MCP',
      text: `${command('/mcp', rpc)} \\\n  -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2025-11-25'`,
    },
    { title: 'TypeScript', text: formatTypeScript(origin, isOpen, { request: { tool_id: id, input } }) },
  ]
}

function formatTypeScript(origin: string, isOpen: boolean, body: Json): string {
  const key = isOpen ? '' : `\n    'Authorization': \`Bearer \${process.env['${KEY_VARIABLE}']}\`,`
  return `const response = await fetch(${JSON.stringify(`${origin}/tools/call`)}, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',${key}
  },
  body: JSON.stringify(${indentedJson(body).replaceAll('\n', '\n  ')}),
})
const { result } = await response.json()
console.log(result)`
}
