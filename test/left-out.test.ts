import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { FULL_ONLY } from './extent.ts'
import { fileLines, skippedLines } from './left-out.ts'

it('skipped tests are listed once per reason, and by name if they have no reason', () => {
  const titles = ['a page (skipped: no Chromium) > opens', 'consent > is given (skipped: no Chromium)', 'a call > ends']
  expect(skippedLines(titles)).toEqual([
    ' Skipped 2 tests: no Chromium',
    ' Skipped 1 test: for no reason that is stated: a call > ends',
  ])
  expect(skippedLines([])).toEqual([])
})

it('files that are left out are named, with the command that runs them', () => {
  expect(fileLines({ 'test/fork.test.ts': 'a copy' }).join('\n')).toMatch(
    /npm run test:full[^]+test\/fork.test.ts \(a copy\)/,
  )
  expect(fileLines({})).toEqual([])
})

it.each(Object.keys(FULL_ONLY))('%s exists', (file) => {
  expect(existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url)))).toBe(true)
})
