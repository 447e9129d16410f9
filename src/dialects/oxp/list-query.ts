import { integerText } from '../../core/call/call-fields.ts'
import { into, oneOf, optional, string, text } from '../../core/tool/json-reader.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { query, type ReadOf } from '../../http/request/query.ts'

const MAX_TEXT = 500
const TEXT = optional(string({ most: MAX_TEXT }))

export const LIST = {
  q: TEXT,
  toolkit: optional(text("a toolkit's name", isNamePart)),
  tag: TEXT,
  versions: optional(oneOf(['newest', 'all']), 'newest'),
  limit: optional(integerText(1, 1_000), 100),
  cursor: TEXT,
  losses: into(optional(oneOf(['0', '1'])), (asked) => asked === '1'),
}
const listQuery = query(LIST)

export type ListAsked = ReadOf<typeof listQuery>
