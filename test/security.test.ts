import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const [, ...sections] = readFileSync(join(root, 'src/SECURITY.md'), 'utf8').split(/^## /m)
const LIMITS = 'Known limits'

interface Section {
  readonly title: string
  /** Its paragraphs, list items and table rows, each as one line. */
  readonly statements: readonly string[]
}

function sectionOf(text: string): Section {
  const [title = '', ...lines] = text.split('\n')
  const statements: string[] = []
  let isOpen = false
  for (const line of lines) {
    const isRow = line.startsWith('|')
    const begins = isRow || line.startsWith('- ') || !isOpen
    if (line.trim() === '') isOpen = false
    else if (begins) statements.push(line)
    else statements.push(`${statements.pop() ?? ''} ${line.trim()}`)
    if (line.trim() !== '') isOpen = !isRow
  }
  // The first row of a table names its columns, and the second is a rule
  const rule = statements.findIndex((each) => /^\|(?: *-+ *\|)+$/.test(each))
  return { title, statements: statements.filter((_, index) => rule < 0 || (index !== rule && index !== rule - 1)) }
}

/** Finds the faults of each statement in a section. */
function faultsOf({ title, statements }: Section): readonly string[] {
  return statements.flatMap((statement) => {
    const named = [...statement.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path ?? '')
    const gone = named.filter((path) => !path.endsWith('.test.ts') || !existsSync(join(root, path)))
    if (gone.length > 0) return [`'${gone.join("', '")}' is not there: ${statement.slice(0, 80)}`]
    if (title === LIMITS) {
      const cells = statement.split('|').slice(1, -1)
      const isWhole = cells.length === 2 && cells.every((cell) => cell.trim().length > 10)
      return isWhole ? [] : [`a limit without how to live with it: ${statement.slice(0, 80)}`]
    }
    return named.length > 0 ? [] : [`names no test: ${statement.slice(0, 80)}`]
  })
}

const all = sections.map(sectionOf)

it.each(all.map((section) => [section.title, section] as const))(
  'src/SECURITY.md names the test of each statement under "%s", or how to live with it',
  (_, section) => {
    expect(section.statements.length).toBeGreaterThan(0)
    expect(faultsOf(section)).toEqual([])
  },
)

it('src/SECURITY.md has limits, and explains how to live with each one', () => {
  expect(all.find(({ title }) => title === LIMITS)?.statements.length).toBeGreaterThan(5)
})

it.each([
  ['a promise without a test', 'Promises\n\nNobody can.\n', ['names no test: Nobody can.']],
  ['an item without one', 'Promises\n\n- A (`test/env.test.ts`)\n- B\n  and C\n', ['names no test: - B and C']],
  ['a row without one', 'Promises\n\n| a | b |\n| - | - |\n| c | d |\n', ['names no test: | c | d |']],
  [
    'a test that is gone',
    'Promises\n\nA (`test/gone.test.ts`).\n',
    ["'test/gone.test.ts' is not there: A (`test/gone.test.ts`)."],
  ],
  [
    'a limit to live with somehow',
    `${LIMITS}\n\n| a | b |\n| - | - |\n| It can be so | |\n`,
    ['a limit without how to live with it: | It can be so | |'],
  ],
  ['a promise with its test', 'Promises\n\nNobody\ncan (`test/env.test.ts`).\n', []],
])('this test finds %s', (_, text, faults) => {
  expect(faultsOf(sectionOf(text))).toEqual(faults)
})
