import { expect, it } from 'vitest'
import { countAnswers, EXACT_NAME } from '../../../src/core/search/answers.ts'
import { hashOperation } from '../../../src/core/search/operation.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import { definition } from '../../e2e/definition.ts'
import { titledRecords } from '../../search/registry.ts'

it('relevant results have at least a third of the best score, apart from exact names', () => {
  expect(countAnswers([])).toBe(0)
  expect(countAnswers([10, 9, 4, 3, 1])).toBe(3)
  expect(countAnswers([EXACT_NAME + 1, EXACT_NAME, 10, 4, 3])).toBe(4)
  expect(countAnswers([EXACT_NAME + 10])).toBe(1)
})

const titled = (id: string, { title, ...given }: { readonly title: string; readonly [field: string]: Json }) => ({
  ...definition(id, given),
  title,
})
const ISSUE = {
  title: 'Create an issue',
  description: 'Create an issue. Any user with access to a repository can.',
}
const [github, ghes, otherName, otherTitle, otherText, otherInput] = await titledRecords([
  titled('GitHub.issues_create@1.0.0', ISSUE),
  titled('GHES.issues_create@2.0.0', {
    ...ISSUE,
    description: 'Creates an issue. Any users with access to a repository can',
  }),
  titled('GHES.issues_add@1.0.0', ISSUE),
  titled('GHES.issues_create@1.0.0', { ...ISSUE, title: 'Open an issue' }),
  titled('GHES.issues_create@1.0.0', { ...ISSUE, description: 'Create an issue of an epic' }),
  titled('GHES.issues_create@1.0.0', { ...ISSUE, input_schema: { type: 'object', properties: {} } }),
])

it('tools of two toolkits are one operation if name, title, start of the description and parameters match', () => {
  if (!github || !ghes) throw new Error('There are two')
  expect(hashOperation(github)).toMatch(/^[0-9a-f]{8}$/)
  expect(hashOperation(ghes)).toBe(hashOperation(github))
  for (const other of [otherName, otherTitle, otherText, otherInput])
    expect(other && hashOperation(other)).not.toBe(hashOperation(github))
})

it('tools with too little text, such as a search by query, are not one operation', async () => {
  const search = {
    title: 'Search',
    description: 'Search',
    input_schema: { type: 'object', properties: { query: { type: 'string' } } },
  }
  const records = await titledRecords([titled('Gmail.search@1.0.0', search), titled('Calendar.search@1.0.0', search)])
  expect(records.map(hashOperation)).toEqual(['', ''])
})
