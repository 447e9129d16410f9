import { readFile } from 'node:fs/promises'
import type { AgentHost, Snippet } from '../docs/agent-hosts.ts'
import { Broken } from './broken.ts'

/** Hosts by the title of their section in the guide. */
const HOSTS: Readonly<Record<string, Pick<AgentHost, 'id' | 'group' | 'file'>>> = {
  'Claude Code': { id: 'claude-code', group: 'Apps' },
  'Claude.ai': { id: 'claude', group: 'Apps' },
  'ChatGPT': { id: 'chatgpt', group: 'Apps' },
  'Cursor': { id: 'cursor', group: 'Editors', file: { project: '.cursor/mcp.json', user: '.cursor/mcp.json' } },
  'VS Code': { id: 'vs-code', group: 'Editors', file: { project: '.vscode/mcp.json' } },
  'Gemini CLI': {
    id: 'gemini-cli',
    group: 'Apps',
    file: { project: '.gemini/settings.json', user: '.gemini/settings.json' },
  },
  'Windsurf': { id: 'windsurf', group: 'Editors', file: { user: '.codeium/windsurf/mcp_config.json' } },
  'Zed': { id: 'zed', group: 'Editors' },
  'Cline': { id: 'cline', group: 'Editors' },
  'Goose': { id: 'goose', group: 'Apps' },
  'Codex': { id: 'codex', group: 'Apps', file: { user: '.codex/config.toml' } },
  'The Responses API': { id: 'responses-api', group: 'JavaScript and APIs' },
  'LangChain': { id: 'langchain', group: 'JavaScript and APIs' },
  'Mastra': { id: 'mastra', group: 'JavaScript and APIs' },
  'AI SDK': { id: 'ai-sdk', group: 'JavaScript and APIs' },
  'OpenAI Agents SDK': { id: 'openai-agents', group: 'JavaScript and APIs' },
  'The MCP SDK': { id: 'mcp-sdk', group: 'JavaScript and APIs' },
  'Python: LangChain': { id: 'python-langchain', group: 'Python' },
  'Python: OpenAI Agents SDK': { id: 'python-openai-agents', group: 'Python' },
  'Python: FastMCP': { id: 'python-fastmcp', group: 'Python' },
  'Python: httpx': { id: 'python-httpx', group: 'Python' },
  'Hosts that start local servers only': { id: 'local-servers', group: 'Local servers only' },
}

/** Generates a file of `src/generated` from the guide. */
export async function agentHostsFile(): Promise<readonly [name: string, text: string]> {
  const hosts = parseHosts(await readFile(new URL('../docs/agents.md', import.meta.url), 'utf8'))
  return ['agent-hosts.ts', `export const hosts = ${JSON.stringify(hosts)} as const\n`]
}

/** Parses each host's section of the guide `agents.md`: its first paragraph, its snippet, and the snippet to sign in. */
export function parseHosts(guide: string): AgentHost[] {
  const sections = new Map(guide.split('\n## ').map((text) => [text.slice(0, text.indexOf('\n')), text]))
  return Object.entries(HOSTS).map(([title, host]) => {
    const [keyText = '', signInText] = (sections.get(title) ?? '').split('\nTo sign in instead:\n')
    const where = keyText.split('\n\n')[1]?.trim()
    if (!where) throw new Broken(`Cannot read src/docs/agents.md: it has nothing on '${title}'`)
    return { ...host, title, where, snippet: snippetIn(keyText), signIn: snippetIn(signInText) }
  })
}

function snippetIn(section = ''): Snippet | undefined {
  const [, language, text] = /\n```(\w+)\n([^]*?)\n```\n/.exec(section) ?? []
  return language === undefined || text === undefined ? undefined : { language, text }
}
