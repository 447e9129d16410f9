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

it('an agent is a principal of its own, with the name of its client, for the same users', () => {
  expect(agentOf(ann)).toMatchObject({ id: 'agent:a1', name: 'Claude', kind: 'agent', users: ['ann@acme.test'] })
})

it('an agent may see and call the toolkits that it was let have, and no other', () => {
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

it('an agent gets no right by choosing: level 4 takes what names the toolkit for its owner', () => {
  const send = tool('Gmail.Send', 4)
  expect(findCallDenial(ann, send)).toMatchObject({ type: 'forbidden' })
  expect(findCallDenial(agentOf(ann), send)).toMatchObject({ type: 'forbidden' })
  const named = { ...ann, tools: ['Gmail.*', 'Calculator.*'] }
  expect(findCallDenial(agentOf(named), send)).toBeUndefined()
  expect(findCallDenial(agentOf(named, ['Slack']), tool('Slack.Post'))).toMatchObject({ type: 'forbidden' })
  const byScope = { ...named, tools: { 'tools:call': ['Calculator.*'] } }
  expect(findCallDenial(agentOf(byScope), send)).toMatchObject({ type: 'forbidden' })
})

it('an agent of an administrator is none: it calls what was chosen, and nothing of keys, publishing or others', () => {
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

it('an agent has no scope that it was not let have, or that its owner has no more', () => {
  expect(agentOf(ann, ['Gmail'], ['tools:read']).scopes).toEqual(['tools:read'])
  expect(agentOf({ ...ann, scopes: ['tools:read', 'tools:publish'] }).scopes).toEqual(['tools:read'])
})

it('an agent shares the limits of its owner with all their agents', () => {
  const limits = { rate: { calls: 1, seconds: 60 } }
  expect(agentOf({ ...ann, limits })).toMatchObject({ limits, owner: ann.id })
  expect(shareOwner(agentOf(ann))).toBe(ann.id)
})

it('an agent keeps the toolset and the lock of its owner, and sees nothing where it was let have another toolset', () => {
  const agent = { id: 'a1', client: { id: 'c', name: 'Claude', host: 'claude.ai' }, toolkits: ['Gmail'] }
  const connect = (owner: Principal, toolset?: string) =>
    toAgentPrincipal(owner, { ...agent, scopes: AGENT_SCOPES, ...(toolset === undefined ? {} : { toolset }) })
  const bound = { ...ann, toolset: 'mail', lock: 'sha256:1' }
  for (const toolset of [undefined, 'mail'])
    expect(connect(bound, toolset)).toMatchObject({ toolset: 'mail', lock: 'sha256:1', restrictedTo: ['Gmail.*'] })
  expect(connect(bound, 'other')).toMatchObject({ toolset: 'mail', lock: 'sha256:1', restrictedTo: [] })
  expect(connect(ann, 'other')).toMatchObject({ toolset: 'other', restrictedTo: ['Gmail.*'] })
})
