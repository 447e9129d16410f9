import { expect, it } from 'vitest'
import { createTable, timeColumn } from '../../src/cli/table.ts'

const COLUMNS = { 'Tool': 'tool', 'Client': 'client.name', 'Rules': ({ rules }: { readonly rules?: unknown }) => rules }
const linesOf = (
  items: readonly Readonly<Record<string, unknown>>[],
  width = 120,
  table = createTable(COLUMNS, width),
) => table(items).map((line) => line.map((part) => (typeof part === 'string' ? part : part[1])).join(''))

it('columns are aligned with their headings, whatever their cells contain', () => {
  const rules = { level: 8, approval: true, secrets: ['A', 'B'], users: [] }
  expect(
    linesOf([
      { tool: 'A.B@1.0.0', client: { name: 'x' }, rules },
      { tool: 'A', client: 'none', rules: 0 },
    ]),
  ).toEqual(['Tool       Client  Rules', 'A.B@1.0.0  x       level 8, approval, secrets A, B', 'A                  0'])
})

it('headings are written once, and later rows stay aligned', () => {
  const table = createTable(COLUMNS, 120)
  expect(linesOf([], 0, table)).toEqual([])
  expect(linesOf([{ tool: 'Long.Enough' }], 0, table)).toHaveLength(2)
  expect(linesOf([{ tool: 'A', client: { name: 'x' }, rules: 'y' }], 0, table)).toEqual(['A            x       y'])
})

it('a cell that is longer than its column does not touch the next cell', () => {
  const tool = `Long.${'x'.repeat(60)}`
  expect(linesOf([{ tool, client: { name: 'y' }, rules: 'z' }])[1]).toBe(`${tool}  y       z`)
})

it('cells are separated by tabs if there is no width, as in a pipe', () => {
  const rows = linesOf([{ tool: 'A', client: { name: 'x' }, rules: 'y\tz' }], Infinity)
  expect(rows).toEqual(['Tool\tClient\tRules', 'A\tx\ty z'])
})

it('the last column uses the remaining width, and no text starts a line', () => {
  const [, line = ''] = linesOf([{ tool: 'A\n✓ made\x1b[2J', rules: 'x'.repeat(99) }], 60)
  expect(line).toMatch(/^A ✓ made\ufffd\[2J +x+…$/)
  expect(line).toHaveLength(60)
})

it("times are in the reader's time zone", () => {
  const at = '2026-01-02T03:04:05.678Z'
  const written = linesOf([{ at }], Infinity, createTable({ Time: timeColumn('at') }, Infinity))[1] ?? ''
  expect(new Date(`${written.trim().replace(' ', 'T')}.678`).toISOString()).toBe(at)
})

it('matches are bold in all cells, and are not marked if cells are separated by tabs', () => {
  const split = (text: string) => text.split(/(x+)/)
  const line = { tool: 'Ax', client: { name: 'y' }, rules: 'a xx b' }
  expect(createTable(COLUMNS, 120, split)([line])[1]).toEqual([
    ['bold', 'Ax    '],
    'y       ',
    'a ',
    ['bold', 'xx'],
    ' b',
  ])
  expect(createTable(COLUMNS, Infinity, split)([line])[1]).toEqual([['bold', 'Ax\ty\ta xx b']])
})
