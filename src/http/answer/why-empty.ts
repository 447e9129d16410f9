import type { Catalogue } from '../../core/catalogue/catalogue.ts'
import type { Principal } from '../../core/access/principal.ts'
import { noteHeader } from './note.ts'
import { unknownAmong } from './unknown-among.ts'

/** What a list is narrowed by. */
export interface Narrowing {
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  /** Whether words are searched for, too: the list says itself that none has them. */
  readonly isSearch?: boolean
}

/** What a list that holds nothing does not say of itself: the dialects' lists have no room for it. */
export async function whyEmpty(
  narrowing: Narrowing,
  principal: Principal,
  catalogue: Catalogue,
): Promise<Readonly<Record<string, string>> | undefined> {
  const why = await reason(narrowing, principal, catalogue)
  return why === undefined ? undefined : noteHeader(why)
}

async function reason(
  { toolkit, tag, isSearch }: Narrowing,
  principal: Principal,
  catalogue: Catalogue,
): Promise<string | undefined> {
  const unknown = toolkit === undefined ? undefined : await unknownAmong([toolkit], principal, catalogue)
  if (unknown !== undefined || isSearch) return unknown
  if (tag !== undefined) return `There is no tool with that tag ${toolkit === undefined ? 'here' : `in '${toolkit}'`}`
  return (
    toolkit &&
    `No tool of '${toolkit}' is shown here: GET /tools?toolkit=${toolkit}&versions=all lists all that there are`
  )
}
