import { toIdRef, toRefKey, type ToolRef } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../../src/compose/platform.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { resolveToolRef } from '../../../src/core/call/authorize-call.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { ResolvedTool } from '../../../src/core/call/resolve-tool.ts'
import { callableOf, PUBLISHER, recordWith } from './fakes.ts'

const found: ResolvedTool = {
  ok: true,
  tool: callableOf(recordWith({}), () => ({ ok: true, value: 1 })),
  status: { state: 'active' },
  publisher: PUBLISHER,
}
const UNKNOWN = fail({ type: 'tool-unknown', asked: 'it', suggestions: [] })
const keyFor = (...tools: string[]): Principal => ({ ...ADMIN, kind: 'key', scopes: ['tools:call'], tools })

/** Looks for the tool of an id, or of an address, where these are known; those of a text with `later` come as promises. */
function seek(known: readonly string[], id: string, address?: string, principal: Principal = ADMIN) {
  const asked: string[] = []
  const resolver = {
    resolve(ref: ToolRef) {
      const text = toRefKey(ref)
      asked.push(text)
      const answer = known.includes(text) ? found : UNKNOWN
      return text.includes('later') ? Promise.resolve(answer) : answer
    },
    suggest: () => [],
    invalidate: () => undefined,
  }
  const asker = { principal, background: () => undefined, signal: () => undefined }
  return {
    answer: resolveToolRef(toIdRef(id), address === undefined ? undefined : toIdRef(address), asker, {
      resolver,
      startDeadline,
    }),
    asked,
  }
}

describe('the tool that is asked for', () => {
  it('is found at once where it is known, by its id or by an address', () => {
    expect(seek(['Example.Tool'], 'Example.Tool').answer).toBe(found)
    const { answer, asked } = seek(['document'], 'Example.Tool', 'document')
    expect(answer).toBe(found)
    expect(asked).toEqual(['document'])
  })

  it.each(['document', 'later document'])('is that of the id where none has the address: %s', async (address) => {
    const { answer, asked } = seek(['Example.Tool'], 'Example.Tool', address)
    expect(await answer).toBe(found)
    expect(asked).toEqual([address, 'Example.Tool'])
  })

  it('is that of the id where the caller may not know of the tool of the address', () => {
    const { answer, asked } = seek(['document'], 'Other.Tool', 'document', keyFor('Other.*'))
    expect(answer).toBe(UNKNOWN)
    expect(asked).toEqual(['document', 'Other.Tool'])
  })

  it('is not looked up where the caller’s patterns do not cover its id', () => {
    const { answer, asked } = seek(['Example.Tool'], 'Example.Tool', undefined, keyFor('Other.*'))
    expect(answer).toMatchObject({ ok: false, failure: { type: 'forbidden' } })
    expect(asked).toEqual([])
  })

  it('is looked for until the caller goes away', async () => {
    const gone = new AbortController()
    const asker = { principal: ADMIN, background: () => undefined, signal: () => gone.signal }
    const resolver = {
      resolve: () => new Promise<never>(() => undefined),
      suggest: () => [],
      invalidate: () => undefined,
    }
    const answer = resolveToolRef(toIdRef('Example.Tool'), undefined, asker, { resolver, startDeadline })
    gone.abort()
    expect(await answer).toEqual(fail({ type: 'cancelled' }))
  })
})
