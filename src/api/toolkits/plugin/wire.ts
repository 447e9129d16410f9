import type { PublicationReport } from '../../../core/publish/publish.ts'
import { version } from '../../../core/tool/definition-fields.ts'
import { query } from '../../../http/request/query.ts'
import { into, list, oneOf, optional, strings, text, unquoted, WRONG, wrong } from '../../../core/tool/json-reader.ts'

const PAIR = text("a pair such as 'api-key:MY_SECRET'", /^[^\s:,]{1,128}:[A-Za-z0-9_.-]{1,128}$/)
const LISTED = into(strings, listed)
const CONFIG = into(LISTED, (texts, report) => {
  const pairs = unquoted(list(PAIR))(texts, report)
  if (pairs === WRONG) return WRONG
  const config = new Map<string, string>()
  for (const pair of pairs) {
    const [key = '', secret = ''] = pair.split(':')
    if (config.has(key)) return wrong(report, `Must have each key once, got '${key}' again`)
    config.set(key, secret)
  }
  return Object.fromEntries(config)
})
export const uploadQuery = query({
  version,
  security_level: optional(into(text('an integer from 0 to 10', /^(?:\d|10)$/), Number)),
  approval: optional(into(oneOf(['1']), () => true as const)),
  allowed_hosts: optional(LISTED, []),
  config: optional(CONFIG, {}),
  allow: optional(oneOf(['breaking'])),
})

export function encodeUploaded({ ids, warnings, pending }: Extract<PublicationReport, { ok: true }>) {
  return { ids, ...(pending ? { pending } : {}), ...(warnings.length > 0 ? { warnings } : {}) }
}

function listed(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
}
