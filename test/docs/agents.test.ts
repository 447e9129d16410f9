import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentHosts, KEY_VARIABLE, type Snippet } from '../../src/docs/agent-hosts.ts'
import { EXAMPLE_ORIGIN } from '../../src/docs/guide.tsx'
import { anchorOf } from '../../src/node/guides.ts'

const GUIDE = readFileSync(new URL('../../src/docs/agents.md', import.meta.url), 'utf8')
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const hosts = agentHosts(EXAMPLE_ORIGIN)

const fenced = (snippet?: Snippet) => (snippet ? `\n\`\`\`${snippet.language}\n${snippet.text}\n\`\`\`\n` : '')

describe('the guide for agents', () => {
  it.each(hosts)('says of $title what the table of hosts does, and no more', ({ title, where, snippet, signIn }) => {
    const other = signIn ? `\nTo sign in instead:\n${fenced(signIn)}` : ''
    expect(GUIDE).toContain(`\n## ${title}\n\n${where}\n${fenced(snippet)}${other}\n## `)
  })

  it('has the hosts in the order of the table', () => {
    const titles = [...GUIDE.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    expect(titles.filter((title) => hosts.some((host) => host.title === title))).toEqual(
      hosts.map(({ title }) => title),
    )
  })

  it('has no key in any file, but where a host reads no variable', () => {
    for (const { id, snippet } of hosts) {
      if (snippet) expect(snippet.text).toMatch(id === 'local-servers' ? /Bearer <key>/ : /SWITCHBOARD_KEY|input:/)
    }
    expect(KEY_VARIABLE).toBe('SWITCHBOARD_KEY')
  })
})

describe('the README', () => {
  it.each(hosts)('leads to $title', ({ title }) => {
    expect(README).toContain(`](src/docs/agents.md#${anchorOf(title)})`)
  })
})
