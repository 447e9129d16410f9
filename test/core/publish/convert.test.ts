import { expect, it } from 'vitest'
import { convert } from '../../../src/core/publish/convert.ts'
import { withBudget } from '../../../src/core/publish/export.ts'
import type { FormatWriter } from '../../../src/core/tool/codec.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import { plain, sha256 } from './fakes.ts'

/** Writes ids and names; of a tool called `Do` it cannot say its name. */
const byId: FormatWriter = ({ id, tool }, name) => ({
  document: { id, name },
  losses: tool === 'Do' ? [{ path: '/name', reason: 'Has no place' }] : [],
})
const into = (document: Json, to: FormatWriter = byId, from?: string) =>
  convert(
    document,
    { from, to: withBudget('test', to), wrapper: { decodeOptions: { version: '2.0.0' } } },
    [plain],
    sha256,
  )

it('a conversion of one tool returns its document', async () => {
  expect(await into({ plain: [{}] })).toEqual({
    ok: true,
    value: {
      document: { id: 'Kit.Do@2.0.0', name: 'Kit_Do' },
      losses: [{ path: '/name', reason: 'Has no place' }],
    },
  })
})

it('a conversion includes the level, approval and tags that were sent with the definition', async () => {
  const told: FormatWriter = ({ securityLevel, requiresApproval, tags }) => ({
    document: { securityLevel, requiresApproval: requiresApproval ?? false, tags: [...tags] },
    losses: [],
  })
  const wrapper = { decodeOptions: {}, tags: ['a'], guard: { security_level: 5, approval: true } } as const
  const document = { plain: [{}] }
  expect(await convert(document, { to: withBudget('test', told), wrapper }, [plain], sha256)).toMatchObject({
    value: { document: { securityLevel: 5, requiresApproval: true, tags: ['a'] } },
  })
})

it('a conversion of several tools returns an array, and names the tool of each loss', async () => {
  expect(await into({ plain: [{ tool: 'A' }, {}] })).toEqual({
    ok: true,
    value: {
      document: [
        { id: 'Kit.A@2.0.0', name: 'Kit_Do' },
        { id: 'Kit.Do@2.0.0', name: 'Kit_Do' },
      ],
      losses: [{ path: '/1/name', reason: 'Has no place' }],
    },
  })
})

it('a conversion of several tools into one document returns that, and each loss once', async () => {
  const together: FormatWriter = ({ source, tool }) => ({
    document: source.document ?? null,
    losses: [
      { path: '/a', reason: 'Has no place' },
      { path: '/a', reason: 'Is too long' },
      ...(tool === 'B' ? [{ path: '/b', reason: 'Has no place' }] : []),
    ],
  })
  const document = { plain: [{ tool: 'A' }, { tool: 'B' }] }
  expect(await into(document, together)).toEqual({
    ok: true,
    value: {
      document,
      losses: [
        { path: '/a', reason: 'Has no place' },
        { path: '/a', reason: 'Is too long' },
        { path: '/b', reason: 'Has no place' },
      ],
    },
  })
})

it('a conversion of no tools returns no documents', async () => {
  expect(await into({ plain: [] })).toEqual({ ok: true, value: { document: [], losses: [] } })
  expect(await into({}, byId, 'plain')).toEqual({ ok: true, value: { document: [], losses: [] } })
})

it.each<[string, Json, string | undefined, string, string | RegExp]>([
  ['no definition', 7, undefined, '', 'Must be a definition, which is an object'],
  ['an unknown dialect', {}, 'x', '', "Unknown dialect 'x': wanted one of 'plain'"],
  ['its problems', { plain: [], problems: [{ path: '/a', message: 'Is wrong' }] }, undefined, '/a', 'Is wrong'],
  ['a schema that is none', { plain: [{ input: { type: 'text' } }] }, undefined, '/plain/0/input/type', /^Must be/],
  ['no text', { plain: [{ description: '\ud800' }] }, undefined, '', 'Contains a lone surrogate (invalid Unicode)'],
])('a conversion of a document with %s returns the reason', async (_, document, from, path, message) => {
  expect(await into(document, byId, from)).toEqual({
    ok: false,
    problems: [{ path, message: typeof message === 'string' ? message : expect.stringMatching(message) }],
  })
})

it('a conversion has no limit of its own on the length of a document', async () => {
  const { ok } = await into({ plain: [{ description: 'x'.repeat(256 * 1024) }] })
  expect(ok).toBe(true)
})
