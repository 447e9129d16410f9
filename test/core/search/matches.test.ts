import { expect, it } from 'vitest'
import { createMatchSplitter } from '../../../src/core/search/matches.ts'

it.each([
  ['create issues', 'Creates an issue.', ['', 'Creates', ' an ', 'issue', '.']],
  ['make a repo', 'Create a repository', ['', 'Create', ' a ', 'repository', '']],
  ['issue', 'IssueComment <b>issue</b>', ['', 'IssueComment', ' <b>', 'issue', '</b>']],
  ['the', 'A tool', ['A tool']],
  ['', 'A tool', ['A tool']],
])('the matches of %j are marked in the text %j', (q, text, parts) => {
  const split = createMatchSplitter(q)
  expect(split(text)).toEqual(parts)
  expect(split(text).join('')).toBe(text)
})
