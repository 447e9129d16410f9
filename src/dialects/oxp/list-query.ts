import { misnamed, wrongParameter } from '../../core/call/call-fields.ts'
import type { Failing } from '../../core/call/failure.ts'
import type { ListQuery } from '../../core/access/catalogue.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_TEXT = 500
/** What people try who have not read the documentation. */
const MEANT = { search: 'q', query: 'q', toolkits: 'toolkit', tags: 'tag', version: 'versions', page_size: 'limit' }

/** Reads the query of `GET /tools`; a value that cannot be meant gives a failure that names the parameter. */
export function decodeListQuery(parameters: URLSearchParams): (ListQuery & { readonly ok?: never }) | Failing {
  const tried = misnamed(parameters, MEANT)
  if (tried) return tried
  const text = (name: string) => parameters.get(name) ?? undefined
  const limit = text('limit')
  if (limit !== undefined && !/^[1-9]\d{0,3}$/.test(limit))
    return wrongParameter('limit', `a number from 1 to ${MAX_LIMIT}`)
  const count = Number(limit ?? DEFAULT_LIMIT)
  if (count > MAX_LIMIT) return wrongParameter('limit', `a number from 1 to ${MAX_LIMIT}`)
  const versions = text('versions') ?? 'newest'
  if (versions !== 'newest' && versions !== 'all') return wrongParameter('versions', "'all' or 'newest'")
  const toolkit = text('toolkit')
  if (toolkit !== undefined && !isNamePart(toolkit)) return wrongParameter('toolkit', "a toolkit's name")
  for (const name of ['q', 'tag', 'cursor']) {
    if ((text(name)?.length ?? 0) > MAX_TEXT) return wrongParameter(name, `at most ${MAX_TEXT} characters`)
  }
  return { q: text('q'), toolkit, tag: text('tag'), versions, limit: count, cursor: text('cursor') }
}
