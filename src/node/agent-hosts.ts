import { readFile } from 'node:fs/promises'
import type { AgentHost, Snippet } from '../docs/agent-hosts.ts'
import { Broken } from './broken.ts'

/** By the titles of their sections in the guide. */
const HOSTS: Readonly<Record<string, Pick<AgentHost, 'id' | 'file'>>> = {
  'Claude Code': { id: 'claude-code' },
  'Claude.ai': { id: 'claude' },
  'ChatGPT': { id: 'chatgpt' },
  'Cursor': { id: 'cursor', file: { project: '.cursor/mcp.json', user: '.cursor/mcp.json' } },
  'VS Code': { id: 'vs-code', file: { project: '.vscode/mcp.json' } },
  'Gemini CLI': {
    id: 'gemini-cli',
    file: { project: '.gemini/settings.json', user: '.gemini/settings.json' },
  },
  'Windsurf': { id: 'windsurf', file: { user: '.codeium/windsurf/mcp_config.json' } },
  'Zed': { id: 'zed' },
  'Cline': { id: 'cline' },
  'Goose': { id: 'goose' },
  'Codex': { id: 'codex', file: { user: '.codex/config.toml' } },
  'The Responses API': { id: 'responses-api' },
  'LangChain': { id: 'langchain' },
  'Mastra': { id: 'mastra' },
  'AI SDK': { id: 'ai-sdk' },
  'OpenAI Agents SDK': { id: 'openai-agents' },
  'The MCP SDK': { id: 'mcp-sdk' },
  'Python: LangChain': { id: 'python-langchain' },
  'Python: OpenAI Agents SDK': { id: 'python-openai-agents' },
  'Python: FastMCP': { id: 'python-fastmcp' },
  'Python: httpx': { id: 'python-httpx' },
  'Hosts that start local servers only': { id: 'local-servers' },
}

/** A file of `src/generated`, made from the guide. */
export async function agentHostsFile(): Promise<readonly [name: string, text: string]> {
  const hosts = hostsOf(await readFile(new URL('../docs/agents.md', import.meta.url), 'utf8'))
  return ['agent-hosts.ts', `export const hosts = ${JSON.stringify(hosts)} as const\n`]
}

/** Each host's section of the guide `agents.md`: its first paragraph, its snippet, and the snippet to sign in. */
export function hostsOf(guide: string): AgentHost[] {
  const sections = new Map(guide.split('\n## ').map((text) => [text.slice(0, text.indexOf('\n')), text]))
  return Object.entries(HOSTS).map(([title, host]) => {
    const [first = '', other] = (sections.get(title) ?? '').split('\nTo sign in instead:\n')
    const where = first.split('\n\n')[1]?.trim()
    if (!where) throw new Broken(`Cannot read src/docs/agents.md: it has nothing on '${title}'`)
    return { ...host, title, where, snippet: snippetIn(first), signIn: snippetIn(other) }
  })
}

function snippetIn(section = ''): Snippet | undefined {
  const [, language, text] = /\n```(\w+)\n([^]*?)\n```\n/.exec(section) ?? []
  return language === undefined || text === undefined ? undefined : { language, text }
}
