import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { FULL_ONLY } from './extent.ts'
import { fileLines, skippedLines } from './left-out.ts'

it('what was skipped is said once for each reason, and what has none by its name', () => {
  const titles = ['a page (skipped: no Chromium) > opens', 'consent > is given (skipped: no Chromium)', 'a call > ends']
  expect(skippedLines(titles)).toEqual([
    ' Skipped 2 tests: no Chromium',
    ' Skipped 1 test: for no reason that is stated: a call > ends',
  ])
  expect(skippedLines([])).toEqual([])
})

it('what is left out is named, with the command that runs it', () => {
  expect(fileLines({ 'test/fork.test.ts': 'a copy' }).join('\n')).toMatch(
    /npm run test:full[^]+test\/fork.test.ts \(a copy\)/,
  )
  expect(fileLines({})).toEqual([])
})

it.each(Object.keys(FULL_ONLY))('%s is there to be left out', (file) => {
  expect(existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url)))).toBe(true)
})
