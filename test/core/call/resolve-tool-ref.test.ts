import { toIdRef, toRefKey, type ToolRef } from '../../../src/core/tool/tool-ref.ts'
import { expect, it } from 'vitest'
import { startDeadline } from '../../../src/compose/platform.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { resolveToolRef } from '../../../src/core/call/authorize-call.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { ResolvedTool } from '../../../src/core/call/resolve-tool.ts'
import { callableOf, PUBLISHER, recordWith } from './fakes.ts'

const RESOLVED: ResolvedTool = {
  ok: true,
  tool: callableOf(recordWith({}), () => ({ ok: true, value: 1 })),
  status: { state: 'active' },
  publisher: PUBLISHER,
}
const UNKNOWN = fail({ type: 'tool-unknown', ref: 'it', suggestions: [] })
const keyFor = (...tools: string[]): Principal => ({ ...ADMIN, kind: 'key', scopes: ['tools:call'], tools })

/** Resolves an id, or the address of a document before it. The resolver knows some keys; a key with `later` takes time. */
async function resolve(knownKeys: readonly string[], id: string, address?: string, principal: Principal = ADMIN) {
  const lookups: string[] = []
  const resolver = {
    resolve(ref: ToolRef) {
      const key = toRefKey(ref)
      lookups.push(key)
      const resolution = knownKeys.includes(key) ? RESOLVED : UNKNOWN
      return key.includes('later') ? Promise.resolve(resolution) : resolution
    },
    suggest: () => [],
    invalidate: () => undefined,
  }
  const context = { principal, background: () => undefined, signal: () => undefined }
  const documentRef = address === undefined ? undefined : toIdRef(address)
  const resolution = await resolveToolRef(toIdRef(id), documentRef, context, { resolver, startDeadline })
  return { resolution, lookups }
}

it("resolving a call's tool looks up the id if the call has no document address", async () => {
  const { resolution, lookups } = await resolve(['Example.Tool'], 'Example.Tool')
  expect(resolution).toBe(RESOLVED)
  expect(lookups).toEqual(['Example.Tool'])
})

it("resolving a call's tool looks up only the address if a document has it", async () => {
  const { resolution, lookups } = await resolve(['document'], 'Example.Tool', 'document')
  expect(resolution).toBe(RESOLVED)
  expect(lookups).toEqual(['document'])
})

it.each(['document', 'later document'])(
  "resolving a call's tool looks up the id after an address that no document has: %s",
  async (address) => {
    const { resolution, lookups } = await resolve(['Example.Tool'], 'Example.Tool', address)
    expect(resolution).toBe(RESOLVED)
    expect(lookups).toEqual([address, 'Example.Tool'])
  },
)

it("resolving a call's tool looks up the id if the address leads to a tool that the caller may not see", async () => {
  const { resolution, lookups } = await resolve(['document'], 'Other.Tool', 'document', keyFor('Other.*'))
  expect(resolution).toBe(UNKNOWN)
  expect(lookups).toEqual(['document', 'Other.Tool'])
})

it("resolving a call's tool looks up no id that the caller’s patterns do not cover", async () => {
  const { resolution, lookups } = await resolve(['Example.Tool'], 'Example.Tool', undefined, keyFor('Other.*'))
  expect(resolution).toMatchObject({ ok: false, failure: { type: 'forbidden' } })
  expect(lookups).toEqual([])
})

it("resolving a call's tool ends when the caller disconnects", async () => {
  const disconnect = new AbortController()
  const context = { principal: ADMIN, background: () => undefined, signal: () => disconnect.signal }
  const resolver = {
    resolve: () => new Promise<never>(() => undefined),
    suggest: () => [],
    invalidate: () => undefined,
  }
  const resolution = resolveToolRef(toIdRef('Example.Tool'), undefined, context, { resolver, startDeadline })
  disconnect.abort()
  expect(await resolution).toEqual(fail({ type: 'cancelled' }))
})
