export interface AgentHost {
  readonly id: string
  readonly title: string
  readonly where: string
  /** From a project's folder, or a person's home. */
  readonly file?: { readonly project?: string; readonly user?: string }
  /** Absent where the host has a form to fill in. */
  readonly snippet?: Snippet
  /** For a person who signs in instead of having a key. */
  readonly signIn?: Snippet
}

export interface Snippet {
  readonly language: 'sh' | 'json' | 'toml' | 'js'
  readonly text: string
}

/** Snippets read the key from here: no key stands in a file. */
export const KEY_VARIABLE = 'SWITCHBOARD_KEY'

const js = (text: string): Snippet => ({ language: 'js', text })
const json = (text: string): Snippet => ({ language: 'json', text })
const sh = (text: string): Snippet => ({ language: 'sh', text })

/** The guide `agents.md` says the same of an example's `origin`. */
export function agentHosts(origin: string): readonly AgentHost[] {
  const url = `${origin}/mcp`
  const signInUrl = `${origin}/connect/mcp`
  return [
    {
      id: 'claude-code',
      title: 'Claude Code',
      where: 'In a terminal; with `--scope user` for all your projects.',
      snippet: sh(
        `claude mcp add --transport http switchboard ${url} --header "Authorization: Bearer $${KEY_VARIABLE}"`,
      ),
      signIn: sh(`claude mcp add --transport http switchboard ${signInUrl}`),
    },
    {
      id: 'claude',
      title: 'Claude.ai',
      where: `Settings, Connectors, "Add custom connector", with the URL \`${signInUrl}\`: you sign in here, and choose what Claude may use. Where your plan has "Request headers", a key does too: the URL \`${url}\`, and \`Authorization\` with \`Bearer <key>\`.`,
    },
    {
      id: 'chatgpt',
      title: 'ChatGPT',
      where: `[chatgpt.com/plugins](https://chatgpt.com/plugins), the plus button, "Add custom MCP server", with the URL \`${signInUrl}\` and OAuth: you sign in here, and choose what ChatGPT may use. Where your workspace has access tokens, a key does too: the URL \`${url}\`, and the key as \`Bearer\`.`,
    },
    {
      id: 'cursor',
      title: 'Cursor',
      where: '`.cursor/mcp.json` in a project, or `~/.cursor/mcp.json`.',
      file: { project: '.cursor/mcp.json', user: '.cursor/mcp.json' },
      snippet: json(`{
  "mcpServers": {
    "switchboard": {
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${env:${KEY_VARIABLE}}" }
    }
  }
}`),
      signIn: json(`{
  "mcpServers": {
    "switchboard": { "url": "${signInUrl}" }
  }
}`),
    },
    {
      id: 'vs-code',
      title: 'VS Code',
      where:
        '`.vscode/mcp.json` in a project, or `MCP: Open User Configuration`. It asks for the key once, and keeps it.',
      file: { project: '.vscode/mcp.json' },
      snippet: json(`{
  "inputs": [{ "type": "promptString", "id": "switchboard-key", "description": "Switchboard key", "password": true }],
  "servers": {
    "switchboard": {
      "type": "http",
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${input:switchboard-key}" }
    }
  }
}`),
      signIn: json(`{
  "servers": {
    "switchboard": { "type": "http", "url": "${signInUrl}" }
  }
}`),
    },
    {
      id: 'codex',
      title: 'Codex',
      where: '`~/.codex/config.toml`, which the command line, the app and the extension share.',
      file: { user: '.codex/config.toml' },
      snippet: {
        language: 'toml',
        text: `[mcp_servers.switchboard]
url = "${url}"
bearer_token_env_var = "${KEY_VARIABLE}"`,
      },
      signIn: sh(`codex mcp add switchboard --url ${signInUrl}
codex mcp login switchboard`),
    },
    {
      id: 'responses-api',
      title: 'The Responses API',
      where:
        'OpenAI calls the tools itself, so the deployment must be reachable from there; `authorization` is the key.',
      snippet: sh(`curl https://api.openai.com/v1/responses -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H 'Content-Type: application/json' -d @- <<JSON
{
  "model": "gpt-6-astra",
  "input": "What is 2 + 3?",
  "tools": [
    {
      "type": "mcp",
      "server_label": "switchboard",
      "server_url": "${url}",
      "authorization": "$${KEY_VARIABLE}"
    }
  ]
}
JSON`),
    },
    {
      id: 'langchain',
      title: 'LangChain',
      where: '`npm install @langchain/mcp-adapters`.',
      snippet: js(`import { MultiServerMCPClient } from '@langchain/mcp-adapters'

const client = new MultiServerMCPClient({
  mcpServers: {
    switchboard: {
      transport: 'http',
      url: '${url}',
      headers: { Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` },
    },
  },
})
const tools = await client.getTools()`),
    },
    {
      id: 'mastra',
      title: 'Mastra',
      where: '`npm install @mastra/mcp`.',
      snippet: js(`import { MCPClient } from '@mastra/mcp'

const client = new MCPClient({
  servers: {
    switchboard: {
      url: new URL('${url}'),
      requestInit: { headers: { Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` } },
    },
  },
})
const tools = await client.listTools()`),
    },
    {
      id: 'ai-sdk',
      title: 'AI SDK',
      where: '`npm install @ai-sdk/mcp`.',
      snippet: js(`import { createMCPClient } from '@ai-sdk/mcp'

const client = await createMCPClient({
  transport: {
    type: 'http',
    url: '${url}',
    headers: { Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` },
  },
})
const tools = await client.tools()`),
    },
    {
      id: 'openai-agents',
      title: 'OpenAI Agents SDK',
      where: '`npm install @openai/agents`.',
      snippet: js(`import { Agent, MCPServerStreamableHttp } from '@openai/agents'

const switchboard = new MCPServerStreamableHttp({
  name: 'switchboard',
  url: '${url}',
  requestInit: { headers: { Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` } },
})
await switchboard.connect()
const agent = new Agent({ name: 'Assistant', mcpServers: [switchboard] })`),
    },
    {
      id: 'mcp-sdk',
      title: 'The MCP SDK',
      where: '`npm install @modelcontextprotocol/client`.',
      snippet: js(`import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client({ name: 'my-agent', version: '1.0.0' })
const url = new URL('${url}')
const headers = { Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` }
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
const { tools } = await client.listTools()`),
    },
    {
      id: 'local-servers',
      title: 'Hosts that start local servers only',
      where: 'The configuration file of the host, such as `claude_desktop_config.json`, by way of `mcp-remote`.',
      snippet: json(`{
  "mcpServers": {
    "switchboard": {
      "command": "npx",
      "args": [
        "-y",
        "mcp-remote",
        "${url}",
        "--header",
        "Authorization:\${AUTHORIZATION}"
      ],
      "env": { "AUTHORIZATION": "Bearer <key>" }
    }
  }
}`),
    },
  ]
}
