import { oneOf, optional } from '../../../core/tool/json-reader.ts'
import { query } from '../../../http/request/query.ts'

/** Reads `?dry_run=0|1&allow=breaking`. */
export const importQuery = query({
  dry_run: optional(oneOf(['0', '1']), '0'),
  allow: optional(oneOf(['breaking'])),
})
