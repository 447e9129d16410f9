import type { PluginOptions } from '../../../core/publish/plugin.ts'
import type { Report } from '../../../core/publish/report.ts'
import { version } from '../../../core/tool/definition-fields.ts'
import { check, into, list, object, oneOf, optional, strings } from '../../../core/tool/json-reader.ts'
import { text, unquoted, wrong } from '../../../core/tool/json-reader.ts'
import type { Checked } from '../../../core/tool/problem.ts'

const PAIR = text("a pair such as 'api-key:MY_SECRET'", /^[^\s:,]{1,128}:[A-Za-z0-9_.-]{1,128}$/)
const CONFIG = into(unquoted(list(PAIR)), (pairs, report) => {
  const config = new Map<string, string>()
  for (const pair of pairs) {
    const [key = '', secret = ''] = pair.split(':')
    if (config.has(key)) return wrong(report, `Must have each key once, got '${key}' again`)
    config.set(key, secret)
  }
  return Object.fromEntries(config)
})
const QUERY = object({
  version,
  security_level: optional(into(text('an integer from 0 to 10', /^(?:\d|10)$/), Number)),
  allowed_hosts: strings,
  config: CONFIG,
  allow: optional(oneOf(['breaking'])),
})

/**
 * Reads `?version=&allowed_hosts=&security_level=&config=&allow=`. Lists may be repeated, and separated by commas;
 * `config` has pairs `key:SECRET_ID`. What is a host is judged with the rest of the implementation.
 */
export function decodeQuery(toolkit: string, query: URLSearchParams): Checked<PluginOptions> {
  const one = (name: string) => query.get(name) ?? undefined
  const read = check(QUERY, {
    version: one('version'),
    security_level: one('security_level'),
    allowed_hosts: listed(query.getAll('allowed_hosts')),
    config: listed(query.getAll('config')),
    allow: one('allow'),
  })
  if (!read.ok) return read
  const { security_level: securityLevel, allowed_hosts: allowedHosts, allow, ...rest } = read.value
  const level = securityLevel === undefined ? {} : { securityLevel }
  return { ok: true, value: { toolkit, ...rest, allowedHosts, ...level, allowBreaking: allow !== undefined } }
}

/** `{"ids"}`, and what of the plugin's description was ignored. */
export function encodeUploaded({ ids, warnings }: Extract<Report, { ok: true }>) {
  return { ids, ...(warnings.length > 0 ? { warnings } : {}) }
}

function listed(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
}
