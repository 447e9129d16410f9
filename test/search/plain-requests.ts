import { createHash } from 'node:crypto'
import { getDisplayTitle, type ToolRecord } from '../../src/core/tool/tool.ts'
import type { Question } from './questions/question.ts'

/** Words that people say instead of those of titles. The first that a title has is replaced. */
const VERBS: Readonly<Record<string, string>> = {
  create: 'make',
  list: 'show',
  get: 'fetch',
  retrieve: 'look up',
  delete: 'get rid of',
  remove: 'take away',
  destroy: 'delete',
  update: 'change',
  set: 'change',
  check: 'see',
  enable: 'turn on',
  disable: 'turn off',
  find: 'look for',
  add: 'insert',
}
const NOUNS: Readonly<Record<string, string>> = {
  repository: 'repo',
  repositories: 'repos',
  organization: 'org',
  'pull request': 'PR',
  issue: 'ticket',
  issues: 'tickets',
  user: 'person',
  users: 'people',
  members: 'people',
  comment: 'note',
  comments: 'notes',
  label: 'tag',
  labels: 'tags',
  permissions: 'rights',
  attachment: 'file',
  avatar: 'picture',
  database: 'db',
  kubernetes: 'k8s',
  version: 'release',
  status: 'state',
}

/** Makes the request that a title answers: "Create a repository for the authenticated user" is "create a repository". */
export function toPlainRequest(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/\(.*?\)/g, '')
    .replace(/ (?:for|of|by|from|to|with) (?:the |an )?authenticated.*/, '')
    .replace(/ paginated$/, '')
    .replaceAll(/\b(?:an existing|a new) /g, 'a ')
    .replaceAll(/\b(?:all|existing|new) /g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function rewordRequest(request: string, isNoun: boolean): string {
  const tables = isNoun ? [NOUNS, VERBS] : [VERBS, NOUNS]
  for (const [word, other] of tables.flatMap((table) => Object.entries(table))) {
    const pattern = new RegExp(`\\b${word}\\b`)
    if (pattern.test(request)) return request.replace(pattern, other)
  }
  return request
}

export interface PlainQuestions {
  readonly tuned: readonly Question[]
  /** Kept for judging: nobody who changes the ranking reads these. */
  readonly heldOut: readonly Question[]
}

/** Makes the requests of a toolkit's titles, half of them with a verb or noun in other words. */
export function makePlainQuestions(records: readonly ToolRecord[]): PlainQuestions {
  const toolsByRequest = new Map<string, string[]>()
  for (const record of records) {
    const request = toPlainRequest(getDisplayTitle(record) ?? '')
    if (!request.includes(' ')) continue
    toolsByRequest.set(request, [...(toolsByRequest.get(request) ?? []), `${record.toolkit}.${record.tool}`])
  }
  const questions = [...toolsByRequest].map(([request, tools]) => {
    // By the text, so that another release of a description moves no question to the other half
    const [lot = 0] = createHash('sha256').update(request).digest()
    const q = lot & 2 ? rewordRequest(request, (lot & 4) !== 0) : request
    return { isHeldOut: (lot & 1) === 1, question: { q, tools } }
  })
  const take = (isHeldOut: boolean) =>
    questions.filter((each) => each.isHeldOut === isHeldOut).map(({ question }) => question)
  return { tuned: take(false), heldOut: take(true) }
}
