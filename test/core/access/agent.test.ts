import { toIdRef } from '../../../src/core/tool/tool-ref.ts'
import { expect, it } from 'vitest'
import { AGENT_SCOPES, toAgentPrincipal } from '../../../src/core/access/agent.ts'
import {
  ADMIN,
  findCoverDenial,
  covers,
  findCallDenial,
  maySee,
  type Principal,
  shareOwner,
} from '../../../src/core/access/principal.ts'
import { denyUncovered } from '../../../src/core/call/authorize-call.ts'

const ann: Principal = {
  id: 'person:ann@acme.test',
  kind: 'person',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: ['ann@acme.test'],
}
const agentOf = (owner: Principal, toolkits = ['Gmail'], scopes: Principal['scopes'] = AGENT_SCOPES) =>
  toAgentPrincipal(owner, {
    id: 'a1',
    client: { id: 'c', name: 'Claude', host: 'claude.ai' },
    toolkits,
    scopes: [...scopes],
  })
const tool = (id: string, securityLevel = 1) => {
  const [toolkit = '', tool = ''] = id.split('.')
  return { toolkit, tool, securityLevel }
}

it("an agent is its own principal, with its client's name, for the same users", () => {
  expect(agentOf(ann)).toMatchObject({ id: 'agent:a1', name: 'Claude', kind: 'agent', users: ['ann@acme.test'] })
})

it('an agent may see and call only the toolkits that it was given', () => {
  const agent = agentOf(ann)
  for (const id of ['Gmail.Send', 'gmail.send']) {
    expect(maySee(agent, tool(id), 'tools:read')).toBe(true)
    expect(findCallDenial(agent, tool(id))).toBeUndefined()
  }
  for (const id of ['Calculator.Add', 'Gmail2.Send', 'GmailX.Send']) {
    expect(covers(agent, tool(id), 'tools:read')).toBe(false)
    expect(findCallDenial(agent, tool(id))).toMatchObject({ type: 'forbidden' })
    expect(findCoverDenial(agent, tool(id), 'tools:read')).toMatchObject({ type: 'forbidden' })
    expect(denyUncovered(agent, toIdRef(id))).toMatchObject({ failure: { type: 'forbidden' } })
  }
  expect(covers(agentOf(ann, []), tool('Gmail.Send'), 'tools:call')).toBe(false)
})

it('an agent gets no rights through its toolkits: for level 4, its owner must name the toolkit', () => {
  const send = tool('Gmail.Send', 4)
  expect(findCallDenial(ann, send)).toMatchObject({ type: 'forbidden' })
  expect(findCallDenial(agentOf(ann), send)).toMatchObject({ type: 'forbidden' })
  const named = { ...ann, tools: ['Gmail.*', 'Calculator.*'] }
  expect(findCallDenial(agentOf(named), send)).toBeUndefined()
  expect(findCallDenial(agentOf(named, ['Slack']), tool('Slack.Post'))).toMatchObject({ type: 'forbidden' })
  const byScope = { ...named, tools: { 'tools:call': ['Calculator.*'] } }
  expect(findCallDenial(agentOf(byScope), send)).toMatchObject({ type: 'forbidden' })
})

it("an administrator's agent is not an administrator: it calls its toolkits, and has no rights over keys, publishing or others", () => {
  for (const owner of [ADMIN, { ...ann, scopes: ['admin'] as const, tools: { 'tools:call': ['*'] } }]) {
    const agent = agentOf(owner)
    expect(agent.scopes).toEqual(['tools:read', 'tools:call'])
    expect(findCallDenial(agent, tool('Gmail.Send', 7))).toBeUndefined()
    expect(findCallDenial(agent, tool('Calculator.Add'))).toMatchObject({ type: 'forbidden' })
  }
  // A pattern that is not for everything stays what it is
  const some = { ...ann, scopes: ['admin'] as const, tools: ['Calculator.*'] }
  expect(findCallDenial(agentOf(some), tool('Gmail.Send'))).toMatchObject({ type: 'forbidden' })
})

it('an agent has no scope that it was not given, or that its owner lost', () => {
  expect(agentOf(ann, ['Gmail'], ['tools:read']).scopes).toEqual(['tools:read'])
  expect(agentOf({ ...ann, scopes: ['tools:read', 'tools:publish'] }).scopes).toEqual(['tools:read'])
})

it("an agent shares its owner's limits with all of the owner's agents", () => {
  const limits = { rate: { calls: 1, seconds: 60 } }
  expect(agentOf({ ...ann, limits })).toMatchObject({ limits, owner: ann.id })
  expect(shareOwner(agentOf(ann))).toBe(ann.id)
})

it("an agent keeps its owner's toolset and lock, and sees nothing if it was given another toolset", () => {
  const agent = { id: 'a1', client: { id: 'c', name: 'Claude', host: 'claude.ai' }, toolkits: ['Gmail'] }
  const connect = (owner: Principal, toolset?: string) =>
    toAgentPrincipal(owner, { ...agent, scopes: AGENT_SCOPES, ...(toolset === undefined ? {} : { toolset }) })
  const bound = { ...ann, toolset: 'mail', lock: 'sha256:1' }
  for (const toolset of [undefined, 'mail'])
    expect(connect(bound, toolset)).toMatchObject({ toolset: 'mail', lock: 'sha256:1', restrictedTo: ['Gmail.*'] })
  expect(connect(bound, 'other')).toMatchObject({ toolset: 'mail', lock: 'sha256:1', restrictedTo: [] })
  expect(connect(ann, 'other')).toMatchObject({ toolset: 'other', restrictedTo: ['Gmail.*'] })
})
