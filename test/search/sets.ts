import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ADMIN } from '../../src/core/access/principal.ts'
import type { Json } from '../../src/core/tool/json.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { searchTools } from '../../src/storage/registry/search/query.ts'
import type { Question } from './questions/question.ts'
import { tablesOf } from './registry.ts'

/** Definitions in OXP, and questions that these tools answer. */
export interface QuestionSet {
  readonly name: string
  readonly definitions: readonly Json[]
  readonly questions: readonly Question[]
}

/** Returns the ids, without versions, of the first five tools that a question finds. */
export type Ask = (q: string) => readonly string[]

export function asker(records: readonly ToolRecord[]): Ask {
  const sql = tablesOf(records)
  return (q) =>
    (searchTools(sql, { q, versions: 'newest', limit: 5 }, ADMIN)?.found ?? []).map(({ record }) => {
      const { toolkit, tool }: ToolRecord = JSON.parse(record)
      return `${toolkit}.${tool}`
    })
}

/** The sets of a folder: files of `definitions` and `questions`, each with `q` and, in `gold`, the ids of tools. */
export function setsIn(folder: string): readonly QuestionSet[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.map((file) => {
    const { definitions, questions } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const asked = questions.map(({ q, gold }: { q: string; gold: string[] }) => ({ q, tools: gold }))
    return { name: file.replace('.json', ''), definitions, questions: asked }
  })
}

/** The plain ranking of a folder, to compare with. */
export async function plainIn(folder: string): Promise<(definitions: readonly Json[]) => Ask> {
  const { bm25f } = await import(pathToFileURL(join(folder, 'bm25f.ts')).href)
  return (definitions) => {
    const ask = bm25f(definitions)
    return (q) => ask(q, 5)
  }
}

export interface Score {
  /** Shares of the questions: answered by the first tool, by one of the first five, and by none at all. */
  readonly first: number
  readonly five: number
  readonly empty: number
  readonly missed: readonly string[]
}

export function score(questions: readonly Question[], ask: Ask): Score {
  const places = questions.map(({ q, tools }) => {
    const found = ask(q)
    return { q, found, at: found.findIndex((id) => tools.includes(id)) }
  })
  const share = (is: (place: (typeof places)[number]) => boolean) => places.filter(is).length / questions.length
  return {
    first: share(({ at }) => at === 0),
    five: share(({ at }) => at >= 0),
    empty: share(({ found }) => found.length === 0),
    missed: places.filter(({ at }) => at !== 0).map(({ q, at, found }) => `${at}  ${q}: ${found.join(' ')}`),
  }
}

export function describeScore({ first, five, empty }: Score): string {
  return `${first.toFixed(3)} / ${five.toFixed(3)}, nothing found ${empty.toFixed(3)}`
}
