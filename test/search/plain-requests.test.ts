import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { splitTitle } from '../../src/core/search/words.ts'
import { definition } from '../e2e/definition.ts'
import { makePlainQuestions } from './plain-requests.ts'
import { publish, read } from '../importers/openapi/make.ts'
import { recordsOf } from './registry.ts'
import { asker, describeScore, score } from './sets.ts'

/** Titles as APIs have them: most words of a title are those of its siblings too. */
const TITLES = {
  CreateForUser: 'Create a repository for the authenticated user',
  CreateRuleset: 'Create a repository ruleset',
  CreateDeployment: 'Create a deployment of a repository',
  CreateWebhook: 'Create a repository webhook',
  ListForUser: 'List repositories for the authenticated user',
  ListTags: 'List repository tags',
  ListInvitations: 'List repository invitations',
  StarForUser: 'Star a repository for the authenticated user',
  ListStarred: 'List repositories starred by the authenticated user',
  CheckStarred: 'Check if a repository is starred by the authenticated user',
  ListStargazers: 'List stargazers',
  CreateFork: 'Create a fork',
  ListForks: 'List forks',
  Delete: 'Delete a repository',
  DeleteInvitation: 'Delete a repository invitation',
  UpdateIssue: 'Update an issue',
  CloseMilestone: 'Close a milestone',
  ListFollowers: 'List followers of the authenticated user',
  ListFollowersForUser: 'List followers of a user',
  CreateInvitation: 'Create an organization invitation',
  RequestApproval: 'Request the approval of a workflow',
  GetUser: 'Get the authenticated user',
}

it.each([
  ['create a repository', 'CreateForUser'],
  ['list my repositories', 'ListForUser'],
  ['star a repository', 'StarForUser'],
  ['fork a repository', 'CreateFork'],
  ['close an issue', 'UpdateIssue'],
  ['delete a repository', 'Delete'],
  ['list repository tags', 'ListTags'],
  ['fork a project', 'CreateFork'],
  ['who follows me', 'ListFollowers'],
  ['invite someone to an organization', 'CreateInvitation'],
  ['approve a workflow', 'RequestApproval'],
  ['my profile', 'GetUser'],
  ['my account', 'GetUser'],
])('the plainest tool for a request comes first: %s', async (q, tool) => {
  const records = await recordsOf(
    Object.entries(TITLES).map(([name, title]) =>
      definition(`Hub.${name}@1.0.0`, { description: `${title}. Of an organization, or of a user.` }),
    ),
  )
  const titled = records.map((record) => ({ ...record, title: new Map(Object.entries(TITLES)).get(record.tool) ?? '' }))
  expect(asker(titled)(q)[0]).toBe(`Hub.${tool}`)
})

it('a question that names the toolkit finds its plainest tool, not one whose title also names it', async () => {
  const titles = {
    ...TITLES,
    CreatePagesSite: 'Create a GitHub Pages site of a repository',
    CreateApp: 'Create a GitHub App of a repository',
  }
  const definitions = Object.entries(titles).map(([name, title]) =>
    definition(`GitHub.${name}@1.0.0`, { description: `${title}. Of GitHub.` }),
  )
  const records = await recordsOf(definitions)
  const titled = records.map((record) => ({ ...record, title: new Map(Object.entries(titles)).get(record.tool) ?? '' }))
  expect(asker(titled)('create a repository on GitHub')[0]).toBe('GitHub.CreateForUser')
})

it('the words of a title that distinguish a tool from its siblings are found', () => {
  const title = 'Create a new Git Hub repository for the authenticated user (beta)'
  expect(splitTitle(title, 'GitHub').join(' ')).toBe('create repository')
  // In time that grows with the length alone
  expect(splitTitle('('.repeat(8_000), '')).toEqual([])
})

it('the plainest tools of 1,223 operations come first, half of them for requests in other words', async () => {
  const file = createRequire(import.meta.url)
    .resolve('@octokit/openapi/package.json')
    .replace(/package\.json$/, '')
  const description = await read(readFileSync(`${file}generated/api.github.com.json`, 'utf8'), { toolkit: 'GitHub' })
  if (!description.tools) throw new Error('GitHub cannot be read')
  const records: Parameters<typeof asker>[0][number][] = []
  for (let at = 0; at < description.items.length; at += 50) await publish(description.items.slice(at, at + 50), records)
  const ask = asker(records)
  const { tuned, heldOut } = makePlainQuestions(records)
  for (const questions of [tuned, heldOut]) {
    const found = score(questions, ask)
    console.log(`plain requests: ${describeScore(found)}`)
    expect(found.first).toBeGreaterThanOrEqual(0.95)
    expect(found.five).toBeGreaterThanOrEqual(0.99)
  }
})
