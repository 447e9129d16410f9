import { toIdRef, toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { expect, it } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import {
  type Candidate,
  createFindCandidates,
  createFindTools,
  chooseCandidate,
} from '../../../src/core/call/tool-candidates.ts'
import { createCallTool } from '../../../src/core/call/call.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { Resolver } from '../../../src/core/call/resolve-tool.ts'
import { callableOf, callerWith, callWith, PUBLISHER, recordWith, worldOf } from './fakes.ts'

const candidate = (toolkit: string, securityLevel = 0): Candidate => ({
  id: `${toolkit}.Send@1.0.0`,
  toolkit,
  tool: 'Send',
  securityLevel,
})
const keyFor = (...tools: string[]): Principal => ({ ...ADMIN, kind: 'key', scopes: ['tools:call'], tools })
const behind = () => undefined

it('a bare name means the one tool that its caller may see, in the requested version', () => {
  const both = [candidate('Mail'), candidate('Evil')]
  expect(chooseCandidate({ name: 'send' }, keyFor('Mail.*'), both)).toEqual(toIdRef('Mail.Send'))
  expect(chooseCandidate({ name: 'send', range: '^1' }, keyFor('Mail.*'), both)).toEqual(toIdRef('Mail.Send@^1'))
  expect(chooseCandidate({ name: 'send' }, keyFor('Other.*'), both)).toBeUndefined()
  expect(chooseCandidate({ name: 'send' }, ANONYMOUS, [candidate('Mail'), candidate('Evil', 4)])).toEqual(
    toIdRef('Mail.Send'),
  )
})

it('a bare name that may mean several tools is refused with at most three candidates', () => {
  const all = ['A', 'B', 'C', 'D'].map((toolkit) => candidate(toolkit))
  const suggestions = ['A.Send@1.0.0', 'B.Send@1.0.0', 'C.Send@1.0.0']
  expect(chooseCandidate({ name: 'Send' }, ADMIN, all)).toEqual(
    fail({ type: 'tool-unknown', ref: 'Send', suggestions }),
  )
})

it('a bare name never sends a token without a provider to a tool, and the response says so', async () => {
  const record = recordWith({ providers: ['mail'] })
  const tool = callableOf(record, () => ({ ok: true, value: 1 }))
  const { deps } = worldOf({ tool, candidates: [record] })
  const call = callWith({ tokens: { '*': 'secret' } })
  const caller = callerWith()
  const asked = { ...call, toolRef: toIdRef('Example.Tool') }
  expect((await createCallTool(deps)(asked, caller)).result).toMatchObject({ ok: true })
  const { result } = await createCallTool(deps)({ ...asked, bareName: { name: 'Tool' } }, caller)
  expect(result).toMatchObject({ ok: false, failure: { type: 'requirements-missing' } })
  expect(JSON.stringify(result)).toContain("called without its toolkit, 'Example'")
})

function finder(called: readonly Candidate[], exposed?: string) {
  const asked: string[] = []
  let time = 0
  const record = exposed === undefined ? undefined : { ...recordWith({}), name: exposed }
  const resolver: Pick<Resolver, 'resolve'> = {
    resolve: (ref) =>
      record && toRefKey(ref).toLowerCase() === `name:${exposed}`.toLowerCase()
        ? {
            ok: true,
            tool: callableOf(record, () => ({ ok: true, value: 1 })),
            status: { state: 'active' },
            publisher: PUBLISHER,
          }
        : fail({ type: 'tool-unknown', ref: toRefKey(ref), suggestions: [] }),
  }
  const find = createFindCandidates({
    resolver,
    findTools: async (name) => (asked.push(name), called),
    now: () => time,
  })
  return { find, asked, pass: (ms: number) => void (time += ms) }
}

it('candidates are the tools of that name and the one exposed by it, each once', async () => {
  const found = await finder([candidate('Mail')], 'send').find('send', behind)
  expect(found.map(({ id }) => id)).toEqual(['Example.Tool@1.0.0', 'Mail.Send@1.0.0'])
  const own = { ...candidate('Example'), tool: 'Tool' }
  expect(await finder([own], 'Tool').find('Tool', behind)).toHaveLength(1)
})

it('candidates are only one if the name is a toolkit and its tool, whatever other tools have the name', async () => {
  const { find, asked } = finder([candidate('Mail')], 'Example_Tool')
  expect(await find('example_tool', behind)).toMatchObject([{ toolkit: 'Example', tool: 'Tool' }])
  expect(asked).toEqual([])
})

it('candidates are looked up once, and then in the background, so that later calls do not wait', async () => {
  const { find, asked, pass } = finder([candidate('Mail')])
  const work: Promise<unknown>[] = []
  const background = (each: Promise<unknown>) => void work.push(each)
  const first = await find('Send', background)
  expect(find('SEND', background)).toEqual(first)
  pass(6_000)
  expect(find('send', background)).toEqual(first)
  expect(find('send', background)).toEqual(first)
  await Promise.all(work)
  expect([asked.length, work.length]).toEqual([2, 1])
  pass(30_000)
  expect(find('send', background)).toBeInstanceOf(Promise)
})

it('the tools of a name are those of its search results that have the name, ignoring case', async () => {
  const found = [candidate('Mail'), { ...candidate('Mail'), tool: 'SendLater' }, { ...candidate('Chat'), tool: 'send' }]
  const queries: unknown[] = []
  const find = createFindTools({
    list: async (query, principal) => {
      queries.push([query, principal])
      return { lines: found.map((each) => JSON.stringify(each)) }
    },
  })
  expect((await find('SEND')).map(({ toolkit, tool }) => `${toolkit}.${tool}`)).toEqual(['Mail.Send', 'Chat.send'])
  expect(queries).toEqual([[{ q: 'SEND', versions: 'newest', limit: 50 }, ADMIN]])
})

it('the tools of a name are none if nothing is found', async () => {
  expect(await createFindTools({ list: async () => undefined })('Send')).toEqual([])
})
