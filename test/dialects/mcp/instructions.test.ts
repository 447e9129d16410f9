import { describe, expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { UnreachableError } from '../../../src/core/failure/failure.ts'
import { record, type SetUp, setUp } from './set-up.ts'

const counts = (number: number) =>
  Array.from({ length: number }, (_, index) => ({
    toolkit: `Kit${index}`,
    tools: index + 1,
    level: 0,
    description: null,
  }))

async function instructions(given: SetUp, query = ''): Promise<string> {
  const router = setUp(given)
  const path = `/mcp${query}`
  const legacy = await router.legacy('initialize', { protocolVersion: '2025-11-25' }, { path })
  const modern = await router.modern('server/discover', {}, { path })
  const [one, other]: { result: { instructions: string } }[] = [await legacy.json(), await modern.json()]
  expect(other?.result.instructions).toBe(one?.result.instructions)
  return one?.result.instructions ?? ''
}

describe('the instructions for a client that connects', () => {
  it('counts the tools and toolkits that the caller sees, and explains approvals', async () => {
    expect(await instructions({ records: [record('one'), record('two')] })).toBe(
      'Switchboard gives you 2 tools of 1 toolkit. Some calls need a person first, to connect an account or to approve the call, and answer with a link: show it to the person, and call again with the same arguments afterwards. The toolkits and how many tools each has: Kit (2).',
    )
  })

  it("begins with those of the caller's toolset, if it has any", async () => {
    const withToolset = (instructions: string): SetUp => {
      const definition = { enabled: true, tools: [{ tool: 'Kit.*' }], instructions }
      return { principal: { ...ADMIN, view: { key: 'k', toolset: { name: 'sales', definition } } } }
    }
    expect(await instructions(withToolset('Sell.'))).toMatch(/^Sell\.\n\nSwitchboard gives you 1 tool of 1 toolkit\./)
    expect(await instructions(withToolset(' '))).toMatch(/^Switchboard gives you/)
  })

  it('counts only callable tools within the credential and the address', async () => {
    const asked: unknown[] = []
    const key: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:read', 'tools:call'], tools: ['Kit.*'] }
    const toolkits: SetUp['toolkits'] = async ({ tools, restrictedTo: within }, query) => {
      asked.push([tools, within, query])
      return []
    }
    await instructions({ principal: key, toolkits }, '?tools=Kit.echo')
    expect(asked).toEqual([
      [['Kit.*'], ['Kit.echo'], { callable: true }],
      [['Kit.*'], ['Kit.echo'], { callable: true }],
    ])
  })

  it('names the search mode within 512 characters if there are more than a hundred tools', async () => {
    const many = await instructions({ toolkits: async () => counts(30) })
    expect(many).toMatch(/^Switchboard gives you 465 tools of 30 toolkits\. Where these are too many/)
    expect(many.slice(0, 512)).toContain('?mode=search')
    expect(many.slice(0, 512)).toContain('call again with the same arguments')
    expect(many).toMatch(/: Kit29 \(30\), .*, Kit10 \(11\) and 10 more\.$/)
    expect(await instructions({ toolkits: async () => counts(13) })).not.toContain('?mode=search')
  })

  it('describes the toolkits', async () => {
    const described = counts(2).map((each) => ({
      ...each,
      description: each.toolkit === 'Kit1' ? 'Looks after kits.' : null,
    }))
    expect(await instructions({ toolkits: async () => described })).toMatch(/\.\nKit1: Looks after kits\.$/)
  })

  it('explains how to search in the search mode', async () => {
    const searching = await instructions({ toolkits: async () => counts(30) }, '?mode=search')
    expect(searching).toContain('Find one with search_tools, read its arguments with describe_tool')
    expect(searching).not.toContain('?mode=search')
  })

  it('counts no tools without tools:read, and does not fail if storage is unreachable', async () => {
    const toolkits: SetUp['toolkits'] = () => Promise.reject(new UnreachableError('Away'))
    const caller: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:call'] }
    expect(await instructions({ toolkits })).toMatch(/^Some calls need a person first/)
    expect(await instructions({ principal: caller })).toMatch(/^Some calls need a person first/)
  })
})
