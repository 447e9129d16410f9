import { createBudget } from '../../../../../src/core/tool/budget.ts'
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../../../src/core/access/principal.ts'
import { fail, ok } from '../../../../../src/core/failure/failure.ts'
import type { Seal } from '../../../../../src/core/call/seal.ts'
import type { McpRequestContext } from '../../../../../src/dialects/mcp/toolset.ts'
import type { McpToolCall } from '../../../../../src/dialects/mcp/wire.ts'
import {
  mergeResponses,
  readState,
  sealState,
} from '../../../../../src/dialects/mcp/revisions/2026-07-28/request-state.ts'
import { toAssociatedData } from '../../../../../src/dialects/mcp/revisions/2026-07-28/round-trip.ts'

/** Seals nothing: what is sealed is the text, and what it is bound to. */
const seal: Seal = {
  seal: async (text, bound) => ok(`${bound}|${text}`),
  unseal: async (sealed, bound) => ok(sealed.startsWith(`${bound}|`) ? sealed.slice(bound.length + 1) : undefined),
}
const CALL: McpToolCall = { kind: 'call', name: 'echo', input: { b: 1, a: 2 }, wantsLogs: false }

describe('the state of a call', () => {
  const read = (requestState?: string) =>
    readState(requestState === undefined ? CALL : { ...CALL, requestState }, () => 'b', seal)

  it('seals a state only if there is one', async () => {
    expect(await sealState({}, 'b', seal)).toEqual(ok(undefined))
    expect(await sealState({ state: 1 }, 'b', seal)).toEqual(ok('b|{"state":1}'))
  })

  it('reads the sealed state, and an empty state if there is none', async () => {
    const empty = { asked: [], responses: {} }
    expect(await read()).toEqual(ok(empty))
    expect(await read('b|{"state":null}')).toEqual(ok({ ...empty, state: null }))
    expect(await read('b|{"asked":["x"],"responses":{"y":{}}}')).toEqual(ok({ asked: ['x'], responses: { y: {} } }))
    expect(await read('b|7')).toEqual(ok(empty))
  })

  it('fails to seal and to read a state without a key', async () => {
    const failing = fail({ type: 'unavailable', message: 'no key' })
    const without: Seal = { seal: async () => failing, unseal: async () => failing }
    expect(await sealState({ state: 1 }, 'b', without)).toEqual(failing)
    expect(await readState({ ...CALL, requestState: 'x' }, () => 'b', without)).toEqual(failing)
  })

  it('reads undefined from a state that cannot be unsealed', async () => {
    expect(await read('c|{}')).toEqual(ok(undefined))
  })
})

describe('the responses for the tool', () => {
  it('merges the responses of this and the previous round, without those to our own requests', () => {
    const earlier = { asked: ['ours'], state: 1, responses: { a: {}, b: { x: 1 } } }
    const inputResponses = { ours: {}, b: { x: 2 }, c: {} }
    expect(mergeResponses({ ...CALL, inputResponses }, earlier)).toEqual({
      responses: { a: {}, b: { x: 2 }, c: {} },
      state: 1,
    })
    expect(mergeResponses(CALL, { asked: [], responses: { a: {} } })).toEqual({ responses: { a: {} } })
  })

  it('has no previous responses on the first call', async () => {
    const first = await readState(CALL, () => 'b', seal)
    if (!first.ok || !first.value) throw new Error('Cannot read')
    expect(mergeResponses(CALL, first.value)).toEqual({ responses: {} })
    expect(mergeResponses({ ...CALL, inputResponses: { a: {} } }, first.value)).toEqual({ responses: { a: {} } })
  })
})

describe('the context that a state is sealed for', () => {
  const client = (headers = {}): McpRequestContext => ({
    request: new Request('http://localhost/mcp', { headers }),
    principal: ADMIN,
    budget: createBudget(Infinity),
    background: () => undefined,
    memory: { growAnswer: async () => true },
    toolset: { search: false, select: false, bare: false, patterns: undefined, names: [], exposedNames: [] },
    capabilities: {},
    authorize: () => expect.unreachable(),
  })

  it('binds a state to the principal, the user, the tool and the input, in any order of its keys', () => {
    const bound = toAssociatedData(CALL, client())
    expect(JSON.parse(bound)).toEqual(['mcp', 'admin', null, 'name:echo', '{"a":2,"b":1}'])
    expect(toAssociatedData({ ...CALL, input: { a: 2, b: 1 } }, client())).toBe(bound)
    expect(JSON.parse(toAssociatedData({ ...CALL, range: '^1' }, client({ 'x-user-id': 'u' })))).toEqual([
      'mcp',
      'admin',
      'u',
      'name:echo@^1',
      '{"a":2,"b":1}',
    ])
  })

  it('binds a state to the input as written if it has no canonical form', () => {
    expect(JSON.parse(toAssociatedData({ ...CALL, input: { a: '\ud800' } }, client()))[4]).toBe('{"a":"\\ud800"}')
  })
})
