import { describe, expect, it } from 'vitest'
import { encodeDryRun, encodeImported, importReader, listProblems } from '../../../../src/api/toolkits/import/wire.ts'
import { createBudget } from '../../../../src/core/tool/budget.ts'
import { parseValue } from '../../../../src/core/tool/json-reader.ts'
import type { ImportedToolReport } from '../../../../src/core/publish/import-tools.ts'
import { NO_REQUIREMENTS } from '../../../../src/core/tool/tool.ts'

const KINDS = ['openapi', 'mcp'] as const
const decode = (body: unknown) => parseValue(importReader(KINDS), body)
const BODY = { from: { openapi: 'https://a.example' }, toolkit: 'Kit' }

it('the body of an import names the source and toolkit, and leaves other fields to the importer', () => {
  expect(decode(BODY)).toEqual({
    ok: true,
    value: {
      kind: 'openapi',
      source: 'https://a.example',
      toolkit: 'Kit',
      isSelected: expect.any(Function),
      options: {},
    },
  })
  expect(decode({ from: { mcp: { a: 1 } }, toolkit: 'x'.repeat(64), version: '1.2.3', credentials: 1 })).toMatchObject({
    ok: true,
    value: { kind: 'mcp', source: { a: 1 }, version: '1.2.3', options: { credentials: 1 } },
  })
})

it('the body of an import selects tools', () => {
  const wants = (tools: readonly string[] | undefined, tool: string) => {
    const decoded = decode({ ...BODY, ...(tools ? { tools } : {}) })
    return decoded.ok && decoded.value.isSelected(tool, createBudget())
  }
  expect(wants(undefined, 'getPet')).toBe(true)
  expect(wants(['*'], 'getPet')).toBe(true)
  expect(wants(['x', 'GET*'], 'getPet')).toBe(true)
  expect(wants(['get'], 'getPet')).toBe(false)
  expect(wants([], 'getPet')).toBe(false)
  expect(
    wants(
      Array.from({ length: 1_000 }, () => 'x'),
      'x',
    ),
  ).toBe(true)
})

it('the body of an import charges for each wildcard that is compared with a name, and looks up exact names', () => {
  const chosenBy = (tools: readonly string[]) => {
    const decoded = decode({ ...BODY, tools })
    const meter = createBudget(Infinity)
    for (let index = 0; index < 100; index++) if (decoded.ok) decoded.value.isSelected(`operation_${index}`, meter)
    return meter.spent
  }
  const numbers = Array.from({ length: 400 }, (_, index) => index)
  expect(chosenBy(numbers.map((number) => `pet-${number}`))).toBe(100)
  expect(chosenBy(numbers.map((number) => `pet${number}*`))).toBe(100)
  expect(chosenBy(numbers.map((number) => `*pet${number}*`))).toBe(100 * 401)
})

it('the body of an import may have at most 1,000 patterns in all its rules', () => {
  const rule = (index: number) => ({ tools: Array.from({ length: 300 }, () => `t${index}`), security_level: 2 })
  expect(decode({ ...BODY, rules: [0, 1, 2].map(rule) })).toMatchObject({ ok: true })
  expect(decode({ ...BODY, rules: [0, 1, 2, 3].map(rule) })).toMatchObject({
    ok: false,
    problems: [{ path: '/rules', message: 'Must have at most 1000 tool names in all rules together' }],
  })
})

const FROM = "Must be an object with one of 'openapi', 'mcp'"
const SOURCE = 'Must be a URL, or a document as an object or a text'
const TOOLKIT = 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -'
const TOOLS = "Must be a list of at most 1000 tool names, in which '*' stands for any characters"
it.each<[object, string, string]>([
  [{ from: undefined }, '/from', 'Is required'],
  [{ from: {} }, '/from', `${FROM}, got an object`],
  [{ from: 'https://a.example' }, '/from', `${FROM}, got a string`],
  [{ from: { oxp: 'https://a.example' } }, '/from', `${FROM}, got an object`],
  [{ from: { openapi: 'a', mcp: 'b' } }, '/from', `${FROM}, got an object`],
  [{ from: { openapi: 7 } }, '/from/openapi', `${SOURCE}, got a number`],
  [{ from: { openapi: ' ' } }, '/from/openapi', `${SOURCE}, got a string`],
  [{ from: { mcp: [] } }, '/from/mcp', `${SOURCE}, got an empty array`],
  [{ toolkit: undefined }, '/toolkit', 'Is required'],
  [{ toolkit: 'a b' }, '/toolkit', `${TOOLKIT}, got 'a b'`],
  [{ toolkit: 7 }, '/toolkit', `${TOOLKIT}, got 7`],
  [{ version: '1' }, '/version', "Must be a version of the form x.y.z, such as '1.0.0', got '1'"],
  [{ version: 1 }, '/version', 'Must be a version of the form x.y.z, got 1'],
  [{ tools: 'a' }, '/tools', `${TOOLS}, got 'a'`],
  [{ tools: ['a.b'] }, '/tools', `${TOOLS}, got an array of 1`],
  [{ tools: [''] }, '/tools', `${TOOLS}, got an array of 1`],
  [{ tools: ['x'.repeat(65)] }, '/tools', `${TOOLS}, got an array of 1`],
  [{ tools: [7] }, '/tools', `${TOOLS}, got an array of 1`],
  [{ tools: Array.from({ length: 1_001 }, () => 'x') }, '/tools', `${TOOLS}, got an array of 1001`],
])('the body of an import may not be %j', (more, path, message) => {
  expect(decode({ ...BODY, ...more })).toEqual({ ok: false, problems: [{ path, message }] })
})

it('the body of an import must be an object, and all of its problems are reported', () => {
  expect(decode([])).toEqual({
    ok: false,
    problems: [{ path: '', message: 'Must be an object, got an empty array' }],
  })
  const wrong = decode({ version: 1, tools: 7 })
  expect(!wrong.ok && wrong.problems.map(({ path }) => path)).toEqual(['/from', '/toolkit', '/version', '/tools'])
})

describe('the response to an import', () => {
  const made = (tool: string, more: Partial<ImportedToolReport> = {}): ImportedToolReport => ({
    id: `Kit.${tool}@1.0.0`,
    name: `Kit_${tool}`,
    state: 'new',
    about: { method: 'GET' },
    tags: [],
    requirements: NO_REQUIREMENTS,
    missing: [],
    warnings: [],
    ...more,
  })
  const skipped = [
    { name: 'b', reason: 'Is odd', about: { method: 'PUT' } },
    { name: 'c', reason: 'Is gone' },
  ]
  const said = [
    { name: 'b', method: 'PUT', reason: 'Is odd' },
    { name: 'c', reason: 'Is gone' },
  ]

  it('the response to an import has ids, and what was unchanged, skipped or approximated', () => {
    expect(encodeImported({ imported: [made('a')], skipped: [] })).toEqual({
      ids: ['Kit.a@1.0.0'],
      skipped: [],
    })
    const all = [
      made('a', { warnings: ['One', 'Two'] }),
      made('b', { state: 'unchanged' }),
      made('c', { state: 'changed' }),
    ]
    expect(encodeImported({ imported: all, skipped })).toEqual({
      ids: ['Kit.a@1.0.0', 'Kit.b@1.0.0', 'Kit.c@1.0.0'],
      unchanged: ['Kit.b@1.0.0'],
      skipped: said,
      warnings: [
        { message: 'One', tools: 1, ids: ['Kit.a@1.0.0'] },
        { message: 'Two', tools: 1, ids: ['Kit.a@1.0.0'] },
      ],
    })
  })

  it('the response to a dry run has each tool', () => {
    const requirements = { authorization: [{ id: 'mail' }], secrets: [{ id: 'KEY' }], user_id: true }
    const all = [made('a'), made('b', { requirements, missing: [{ id: 'KEY' }], warnings: ['One'], state: 'changed' })]
    expect(encodeDryRun({ imported: all, skipped })).toEqual({
      tools: [
        { id: 'Kit.a@1.0.0', name: 'Kit_a', method: 'GET', state: 'new' },
        {
          id: 'Kit.b@1.0.0',
          name: 'Kit_b',
          method: 'GET',
          state: 'changed',
          requirements,
          missing_requirements: { secrets: [{ id: 'KEY' }] },
        },
      ],
      skipped: said,
      warnings: [{ message: 'One', tools: 1, ids: ['Kit.b@1.0.0'] }],
    })
    const user = made('c', { requirements: { ...NO_REQUIREMENTS, user_id: true } })
    expect(encodeDryRun({ imported: [user], skipped: [] }).tools[0]?.requirements).toEqual({ user_id: true })
  })

  it('the response to an import has a warning about many tools once, with two examples', () => {
    const warnings = ['It cannot run']
    const all = ['a', 'b', 'c'].map((tool) => made(tool, { warnings }))
    const said = [{ message: 'It cannot run', tools: 3, ids: ['Kit.a@1.0.0', 'Kit.b@1.0.0'] }]
    expect(encodeImported({ imported: all, skipped: [] }).warnings).toEqual(said)
    const plan = encodeDryRun({ imported: all, skipped: [] })
    expect(plan.warnings).toEqual(said)
    expect(JSON.stringify(plan.tools)).not.toContain('It cannot run')
  })

  it('the response to an import has the reasons if nothing was imported', () => {
    expect(listProblems('mcp', { skipped: [] })).toEqual([
      { path: '/tools', message: 'Must choose at least one tool of the source' },
    ])
    const many = Array.from({ length: 101 }, (_, index) => ({ name: `t${index}`, reason: 'Is odd' }))
    const problems = listProblems('mcp', { skipped: many })
    expect(problems).toHaveLength(100)
    expect(problems[0]).toEqual({ path: '/from/mcp', message: "'t0' cannot be made: Is odd" })
  })
})
