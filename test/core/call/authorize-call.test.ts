import {
  parseToolRef,
  toDocumentRef,
  toIdRef,
  type ToolRef,
  toNameRef,
  toRefKey,
} from '../../../src/core/tool/tool-ref.ts'
import { expect, it } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { authorizeCall, denyUncovered, resolveUserId } from '../../../src/core/call/authorize-call.ts'
import { hideFromViewer, hideTool, isHidden } from '../../../src/core/call/hide-tools.ts'
import { type Failure, fail } from '../../../src/core/failure/failure.ts'
import type { Resolver } from '../../../src/core/call/resolve-tool.ts'
import { callableOf, PUBLISHER, recordWith } from './fakes.ts'

const keyFor = (tools: readonly string[], more: Partial<Principal> = {}): Principal => ({
  id: 'key:1',
  kind: 'key',
  scopes: ['tools:read', 'tools:call'],
  tools,
  users: 'any',
  ...more,
})

it.each([
  ['Example.Tool', ['Example.*']],
  ['Example.Tool@1.0.0', ['Other.*', 'Example.Tool']],
  ['Secret.Tool', ['Example.*', '*']],
  ['no id', ['Example.*']],
  ['Secret_Tool', ['Example.*']],
])('an id, before its lookup: %s may be requested by a key for %j', (asked, tools) => {
  expect(denyUncovered(keyFor(tools), parseToolRef(asked))).toBeUndefined()
})

it('an id, before its lookup, is refused to a key that does not cover it, whether or not the tool exists', () => {
  for (const asked of ['Secret.Tool', 'Secret.Tool@^1']) {
    expect(denyUncovered(keyFor(['Example.*']), toIdRef(asked))).toEqual({
      ok: false,
      failure: { type: 'forbidden', reason: "The credential does not cover 'Secret.Tool'" },
    })
  }
})

const DOCUMENT = toDocumentRef({ dialect: 'd', id: 'a b', tool: 'do it' })

const unknown = (...suggestions: string[]) => fail({ type: 'tool-unknown', ref: 'Example.Toll', suggestions })

/** What the anonymous are told of a tool that there is none of, or none for them. */
function nobodys(asked: string, ...suggestions: string[]) {
  const nearest = suggestions.length === 0 ? '' : `: did you mean '${suggestions.join("', '")}'?`
  const reason = `No tool '${asked}' is available without a credential${nearest}`
  return fail({ type: 'unauthenticated', reason, suggestions })
}

/** Tools whose level is in their name: `Example.L4`. */
function hide(principal: Principal, failing: ReturnType<typeof fail>, called = toIdRef('Example.Toll')) {
  const asked: string[] = []
  const behind = () => undefined
  const resolver: Resolver = {
    resolve(ref, _view, background) {
      expect(background).toBe(behind)
      const id = toRefKey(ref)
      asked.push(id)
      const level = /L(\d+)(?:@.*)?$/.exec(id)?.[1]
      if (level === undefined) return fail({ type: 'tool-disabled', id })
      const tool = callableOf(recordWith({ securityLevel: Number(level) }), () => ({ ok: true, value: 1 }))
      return Promise.resolve({ ok: true, status: { state: 'active' }, publisher: PUBLISHER, tool })
    },
    suggest(_, background) {
      expect(background).toBe(behind)
      return ['Near.L1', 'Near.L0']
    },
    invalidate: () => undefined,
  }
  return {
    hidden: hideFromViewer(called, failing, { principal, background: behind }, resolver),
    asked,
    resolver,
    behind,
  }
}

it('suggestions are at most three tools that the key covers', async () => {
  const failing = unknown('Example.A', 'Secret.B', 'no id', 'Example.C', 'Example.D', 'Example.E')
  const { hidden, asked } = hide(keyFor(['Example.*']), failing)
  expect(await hidden).toEqual(unknown('Example.A', 'Example.C', 'Example.D'))
  expect(asked).toEqual([])
})

it('suggestions for anonymous callers are tools of level 0, as in lists', async () => {
  const { hidden, asked } = hide(ANONYMOUS, unknown('Example.L4', 'Example.L0', 'Example.Off', 'B.L0'))
  expect(await hidden).toEqual(nobodys('Example.Toll', 'Example.L0', 'B.L0'))
  expect(asked).toEqual(['Example.L4', 'Example.L0', 'Example.Off', 'B.L0'])
})

it('suggestions are not looked up beyond the number needed', async () => {
  const { hidden, asked } = hide(ANONYMOUS, unknown('A.L0', 'B.L0', 'C.L0', 'D.L0'))
  expect(await hidden).toEqual(nobodys('Example.Toll', 'A.L0', 'B.L0', 'C.L0'))
  expect(asked).toEqual(['A.L0', 'B.L0', 'C.L0'])
})

it('suggestions are the only change to a failure about a tool that the key covers', async () => {
  const failing = fail({ type: 'tool-disabled', id: 'Example.Tool@1.0.0' })
  expect(await hide(keyFor(['Example.*']), failing).hidden).toBe(failing)
})

it.each<[Failure, ToolRef, string]>([
  [{ type: 'tool-disabled', id: 'Secret.Tool@1.0.0' }, toNameRef('secret'), 'secret'],
  [{ type: 'version-unavailable', tool: 'Secret.Tool', name: 's', range: '9', available: [] }, DOCUMENT, 'a b.do it'],
])("suggestions for a hidden tool's failure %j are those for a missing tool", async (failure, asked, named) => {
  const { hidden } = hide(keyFor(['Example.*']), fail(failure), asked)
  expect(await hidden).toEqual(fail({ type: 'tool-unknown', ref: named, suggestions: [] }))
})

const disabled = (id: string): Failure => ({ type: 'tool-disabled', id })
const unavailable = (tool: string, ...available: string[]): Failure => ({
  type: 'version-unavailable',
  tool,
  name: 'n',
  range: '9',
  available,
})

it.each([
  ['is disabled', disabled('Example.L4@1.0.0'), 'Example.L4@1.0.0'],
  ['is disabled, and nothing else', disabled('Example.Off@1.0.0'), 'Example.Off@1.0.0'],
  ['has no such version', unavailable('Example.L4', '1.0.0'), 'Example.L4@9'],
  ['was yanked', { ...unavailable('Example.L4'), yanked: { version: '9.0.0' } }, 'Example.L4@^9'],
])('anonymous callers get the response for a missing tool if a hidden one %s', async (_, failure, asked) => {
  expect(await hide(ANONYMOUS, fail(failure), toIdRef(asked)).hidden).toEqual(nobodys(asked, 'Near.L0'))
})

it('anonymous callers get the response for a missing tool if a hidden one was found', async () => {
  const { resolver, behind } = hide(ANONYMOUS, unknown())
  const [low, high] = [recordWith({ securityLevel: 0 }), recordWith({ securityLevel: 1 })]
  expect([isHidden(ANONYMOUS, low), isHidden(ANONYMOUS, high), isHidden(keyFor(['A.*']), high)]).toEqual([
    false,
    true,
    false,
  ])
  const told = (ref: ToolRef) => hideTool(ref, { principal: ANONYMOUS, background: behind }, resolver)
  expect(await told(toIdRef('Example.L4'))).toEqual(nobodys('Example.L4', 'Near.L0'))
  expect(await told(toNameRef('example'))).toEqual(nobodys('example'))
  expect(await told(DOCUMENT)).toEqual(nobodys('a b.do it'))
})

it('anonymous callers are told what is wrong with a tool that they may see, with the versions that they may see', async () => {
  const wrong = fail(disabled('Example.L0@1.0.0'))
  expect(await hide(ANONYMOUS, wrong, toIdRef('Example.L0@1.0.0')).hidden).toBe(wrong)
  const { hidden } = hide(ANONYMOUS, fail(unavailable('Example.L0', '1.0.0', '2.0.0')), toIdRef('Example.L0@9'))
  expect(await hidden).toEqual(fail(unavailable('Example.L0', '1.0.0', '2.0.0')))
  const yanked = { ...unavailable('Example.L0'), yanked: { version: '1.0.0' } }
  expect(await hide(ANONYMOUS, fail(yanked), toIdRef('Example.L0@^1')).hidden).toEqual(fail(yanked))
})

it.each([
  ['any', 'ann', 'ann'],
  [['bob'], 'ann', 'ann'],
  ['any', undefined, undefined],
  [['bob'], undefined, 'bob'],
  [['bob', 'ann'], undefined, undefined],
  [[], undefined, undefined],
  [['bob'], '', ''],
] as const)('a key for %j that names the user %j calls for %j', (users, named, user) => {
  expect(resolveUserId(keyFor(['*'], { users }), named)).toBe(user)
})

const call = (
  principal: Principal,
  { ref = toIdRef('Example.Tool'), level = 0, user = undefined as string | undefined } = {},
) => authorizeCall(principal, ref, recordWith({ securityLevel: level }), user)
const refused = (failure: Failure) => ({ ok: false, failure })

it('a tool may be called by callers who cover it and may act for the user', () => {
  expect(call(ADMIN, { level: 10, user: 'ann' })).toBeUndefined()
  expect(call(ANONYMOUS)).toBeUndefined()
  expect(call(keyFor(['Example.*'], { users: ['ann'] }), { level: 4, user: 'ann' })).toBeUndefined()
  expect(call(keyFor(['Example.*']), { ref: toNameRef('Example_Tool') })).toBeUndefined()
  expect(call(keyFor(['*'], { users: [] }))).toBeUndefined()
})

it('a tool is forbidden to a key that does not cover it, and unknown if that would reveal its existence', () => {
  const key = keyFor(['Other.*'])
  const forbidden = { type: 'forbidden', reason: "The credential does not cover 'Example.Tool'" } as const
  expect(call(key)).toEqual(refused(forbidden))
  const unknown = { type: 'tool-unknown', ref: 'Example_Tool', suggestions: [] } as const
  expect(call(key, { ref: toNameRef('Example_Tool', '^1') })).toEqual(refused(unknown))
})

it('a tool is refused for its level, and for a user for whom the key may not act', () => {
  expect(call(ANONYMOUS, { level: 1 })).toEqual(
    refused({ type: 'unauthenticated', reason: "'Example.Tool' has security level 1 and needs a credential" }),
  )
  const reason = 'The credential may not act for this user'
  expect(call(ANONYMOUS, { user: 'ann' })).toEqual(refused({ type: 'forbidden', reason }))
  expect(call(keyFor(['*'], { users: ['bob'] }), { user: 'ann' })).toEqual(refused({ type: 'forbidden', reason }))
})
