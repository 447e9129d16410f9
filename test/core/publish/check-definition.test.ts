import { createBudget } from '../../../src/core/tool/budget.ts'
import { describe, expect, it } from 'vitest'
import {
  checkImportedDefinition,
  checkToolId,
  checkImplementation,
  checkLoading,
  checkSchemas,
  checkStorable,
  checkCombinedSize,
} from '../../../src/core/publish/check-definition.ts'
import { canonicalJson } from '../../../src/core/tool/digest.ts'
import type { Implementation, ImplementationKind } from '../../../src/core/tool/tool.ts'
import { definitionOf, runners } from './fakes.ts'

const LIMIT = 256 * 1024
/** A text whose canonical JSON has so many characters, the quotes counted. */
const text = (characters: number, of = 'x') => of.repeat(characters - 2)

it('a value has at most 256 KiB of canonical JSON', () => {
  expect(checkStorable(text(LIMIT), 'a definition', '/a')).toEqual([])
  expect(checkStorable(text(LIMIT + 1), 'a definition', '/a')).toEqual([
    { path: '/a', message: 'Is larger than 262144 bytes, the most a definition may have' },
  ])
  expect(checkStorable(text(LIMIT + 1), 'an implementation', '')).toEqual([
    { path: '', message: 'Is larger than 262144 bytes, the most an implementation may have' },
  ])
})

it.each([
  ['one byte', '\u007f', 1],
  ['two bytes', '\u0080', 2],
  ['two bytes still', '\u07ff', 2],
  ['three bytes', '\u0800', 3],
  ['three bytes still', '\uffff', 3],
  ['four bytes', '\u{10000}', 4],
  ['four bytes still', '\u{10ffff}', 4],
])('a value is counted in UTF-8: a character of %s', (_, character, bytes) => {
  const fits = Math.floor((LIMIT - 2) / bytes)
  const rest = 'x'.repeat(LIMIT - 2 - fits * bytes)
  expect(checkStorable(character.repeat(fits) + rest, 'a definition', '')).toEqual([])
  expect(checkStorable(`${character.repeat(fits)}${rest}x`, 'a definition', '')).toHaveLength(1)
})

it('a value may have another limit', () => {
  expect(checkStorable('abc', 'a word', '', 5)).toEqual([])
  expect(checkStorable('abcd', 'a word', '', 5)).toEqual([
    { path: '', message: 'Is larger than 5 bytes, the most a word may have' },
  ])
  expect(checkStorable(text(LIMIT + 1), 'a word', '', Infinity)).toEqual([])
})

it.each([['\ud800'], [{ a: ['\udc00x'] }], [{ '\ud800': 1 }], [undefined], [NaN]])('a value may not be %j', (value) => {
  expect(checkStorable(value, 'a definition', '/a')).toEqual([
    { path: '/a', message: 'Contains a lone surrogate (invalid Unicode)' },
  ])
})

it('a value may be any JSON', () => {
  for (const value of [null, 0, '', '\u{1f600}', [], { a: [true] }]) {
    expect(checkStorable(value, 'a definition', '')).toEqual([])
  }
})

describe('an imported definition', () => {
  const { version: _, ...definition } = definitionOf({ description: '' })
  const room = LIMIT - canonicalJson(definition).length

  it('an imported definition has at most 256 KiB', () => {
    for (const character of ['x', '€']) {
      expect(checkImportedDefinition({ ...definition, description: character.repeat(room) })).toEqual([])
      expect(checkImportedDefinition({ ...definition, description: character.repeat(room + 1) })).toEqual([
        { path: '', message: 'Its definition is larger than 262144 characters' },
      ])
    }
  })

  it('an imported definition must be valid Unicode', () => {
    expect(checkImportedDefinition({ ...definition, description: '\ud800' })).toEqual([
      { path: '', message: 'Contains a lone surrogate (invalid Unicode)' },
    ])
  })
})

const tools = (count: number, characters: number) =>
  Array.from({ length: count }, (_, n) => {
    const size = canonicalJson(definitionOf({ tool: `T${n}`, description: '' })).length
    return definitionOf({ tool: `T${n}`, description: 'x'.repeat(Math.max(0, characters - size)) })
  })

it('the tools of one document are at most 500', () => {
  expect(checkCombinedSize(tools(500, 0))).toEqual([])
  expect(checkCombinedSize(tools(501, 0))).toEqual([{ path: '', message: 'Must define at most 500 tools, got 501' }])
})

it('the tools of one document have at most 2 MiB together, whatever each of them repeats', () => {
  expect(checkCombinedSize(tools(8, 256 * 1024))).toEqual([])
  const [problem, ...others] = checkCombinedSize(tools(400, 240_000))
  expect([problem?.path, problem?.message, others]).toEqual([
    '',
    expect.stringContaining('Comes to more than 2097152 characters, since what it says of all its 400 tools'),
    [],
  ])
})

it.each([{}, { toolkit: 'a-_9', tool: 'x'.repeat(64) }, { version: '0.0.0' }, { version: '1.0.0-rc.1+5' }])(
  'an id may have %j',
  (more) => {
    expect(checkToolId(definitionOf(more))).toEqual([])
  },
)

it.each([
  [{ toolkit: 'a b' }, 'a b.Do@1.0.0'],
  [{ toolkit: '' }, '.Do@1.0.0'],
  [{ tool: 'a.b' }, 'Kit.a.b@1.0.0'],
  [{ version: '1.0' }, 'Kit.Do@1.0'],
  [{ version: '1.0.0-' }, 'Kit.Do@1.0.0-'],
])('an id may not have %j', (more, id) => {
  expect(checkToolId(definitionOf(more))).toEqual([
    { path: '', message: `'${id}' must be an id 'Toolkit.Tool@x.y.z', each name 1 to 64 characters` },
  ])
})

it('schemas are checked with their location, and with the references that their dialect allows', () => {
  const schemas = [
    { path: '/a', schema: { type: 'text' } },
    { path: '/b', schema: { $defs: { x: {} }, $ref: '#/$defs/x' } },
    { path: '/c', schema: true },
  ]
  expect(checkSchemas(schemas, 'none', createBudget()).map(({ path }) => path)).toEqual([
    '/a/type',
    '/b/$defs',
    '/b/$ref',
  ])
  expect(checkSchemas(schemas, 'local', createBudget()).map(({ path }) => path)).toEqual(['/a/type'])
  expect(checkSchemas([], 'none', createBudget())).toEqual([])
})

it('an implementation is checked by the runner that it names, with the definition', () => {
  expect(checkImplementation({ kind: 'echo' }, definitionOf(), runners)).toEqual([])
  expect(checkImplementation({ kind: 'other', wrong: '/at' }, definitionOf({ tool: 'Go' }), runners)).toEqual([
    { path: '/implementation/at', message: 'Wrong for Go' },
  ])
})

it('an implementation must name an existing runner', () => {
  expect(checkImplementation({ kind: 'magic' }, definitionOf(), runners)).toEqual([
    { path: '/implementation/kind', message: "Unknown kind 'magic': wanted one of 'echo', 'other'" },
  ])
})

const kind = { kind: 'echo', check: () => [] }
const loading = new Map<string, ImplementationKind>([
  ['echo', { ...kind, load: async ({ bad }) => (bad === true ? [{ path: '/module', message: 'Bad' }] : []) }],
  ['plain', { ...kind, kind: 'plain' }],
])

it('implementations are loaded if their kind allows it, and errors have their location', async () => {
  const implementations = new Map<Implementation, string>([
    [{ kind: 'echo', bad: true }, '/implementation'],
    [{ kind: 'echo' }, '/implementations/b'],
    [{ kind: 'plain' }, '/implementations/c'],
  ])
  expect(await checkLoading(implementations, loading)).toEqual([{ path: '/implementation/module', message: 'Bad' }])
})
