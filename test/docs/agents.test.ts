import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { agentHosts, EXAMPLE_ORIGIN, KEY_VARIABLE, whereWithoutKey, withoutKey } from '../../src/docs/agent-hosts.ts'
import { parseHosts } from '../../src/node/agent-hosts.ts'
import { toAnchor } from '../../src/node/guides.ts'

const GUIDE = readFileSync(new URL('../../src/docs/agents.md', import.meta.url), 'utf8')
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const hosts = agentHosts(EXAMPLE_ORIGIN)

it('the guide for agents gives each host its description, what to copy, and other ways to sign in', () => {
  const [codex] = parseHosts(GUIDE).filter(({ id }) => id === 'codex')
  expect(codex).toEqual({
    id: 'codex',
    title: 'Codex',
    group: 'Apps',
    where: '`~/.codex/config.toml`, which the command line, the app and the extension share.',
    file: { user: '.codex/config.toml' },
    snippet: {
      language: 'toml',
      text: `[mcp_servers.switchboard]\nurl = "${EXAMPLE_ORIGIN}/mcp"\nbearer_token_env_var = "SWITCHBOARD_KEY"`,
    },
    signIn: {
      language: 'sh',
      text: `codex mcp add switchboard --url ${EXAMPLE_ORIGIN}/connect/mcp\ncodex mcp login switchboard`,
    },
  })
  expect(parseHosts(GUIDE).filter(({ snippet }) => !snippet)).toHaveLength(2)
  expect(() => parseHosts(GUIDE.replace('## Codex', '## Kodex'))).toThrow("it has nothing on 'Codex'")
})

it('the guide for agents has nothing in the section of a host that its data lacks', () => {
  const [before = '', after = ''] = GUIDE.split(/\n## (?=Claude Code\n|Discovery\n)/).slice(1)
  const fenced = [...before.matchAll(/```\w+\n([^]*?)\n```/g)].map(([, text]) => text)
  expect(fenced).toEqual(hosts.flatMap(({ snippet, signIn }) => [snippet?.text, signIn?.text]).filter(Boolean))
  expect([...before.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(
    hosts.slice(1).map(({ title }) => title),
  )
  expect(after).toContain('ai-catalog')
})

it('the guide for agents contains the address of the deployment', () => {
  expect(JSON.stringify(agentHosts('https://tools.test'))).not.toContain('<you>')
  expect(agentHosts('https://tools.test')[0]?.snippet?.text).toContain('https://tools.test/mcp --header')
})

it('the guide for agents has no key in any file, unless a host cannot read variables', () => {
  for (const { id, snippet } of hosts) {
    const readsNone = id === 'local-servers' || id === 'zed'
    if (snippet) expect(snippet.text).toMatch(readsNone ? /Bearer <key>/ : /SWITCHBOARD_KEY|input:/)
  }
  expect(KEY_VARIABLE).toBe('SWITCHBOARD_KEY')
})

it('an open deployment is connected to without a key if the host supports that', () => {
  const editors = hosts.filter(({ group }) => group === 'Editors')
  expect(editors.map(({ title }) => title)).toEqual(['Cursor', 'VS Code', 'Windsurf', 'Zed', 'Cline'])
  for (const host of editors) expect(`${whereWithoutKey(host)} ${withoutKey(host)?.text}`).not.toMatch(/key/i)
  expect(hosts.map(whereWithoutKey)).not.toContain('')
})

it.each(hosts)('the README links to $title', ({ title }) => {
  expect(README).toContain(`](src/docs/agents.md#${toAnchor(title)})`)
})
