import type { PluginOptions } from '../../../core/publish/plugin.ts'
import type { Report } from '../../../core/publish/report.ts'
import { isVersion } from '../../../core/tool/tool-id.ts'

const KEY = /^[^\s:,]{1,128}$/
const SECRET = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * Reads `?version=&allowed_hosts=&security_level=&config=&allow=`. Lists may be repeated, and separated by commas;
 * `config` has pairs `key:SECRET_ID`. Gives what is wrong with it as text. What is a host is judged with the rest of the
 * implementation.
 */
export function decodeQuery(toolkit: string, query: URLSearchParams): PluginOptions | string {
  const version = query.get('version')
  if (version === null || !isVersion(version)) return "The query parameter 'version' must be of the form x.y.z"
  const level = query.get('security_level')
  if (level !== null && !/^(?:\d|10)$/.test(level)) return "The query parameter 'security_level' must be from 0 to 10"
  const allow = query.get('allow')
  if (allow !== null && allow !== 'breaking') return "The query parameter 'allow' must be 'breaking'"
  const config = new Map<string, string>()
  for (const pair of listed(query.getAll('config'))) {
    const at = pair.indexOf(':')
    const key = pair.slice(0, Math.max(0, at))
    const secret = pair.slice(at + 1)
    if (!KEY.test(key) || !SECRET.test(secret)) {
      return "The query parameter 'config' must hold pairs such as 'api-key:MY_SECRET', separated by commas"
    }
    if (config.has(key)) return `The query parameter 'config' has the key '${key}' twice`
    config.set(key, secret)
  }
  return {
    toolkit,
    version,
    allowedHosts: listed(query.getAll('allowed_hosts')),
    config: Object.fromEntries(config),
    ...(level === null ? {} : { securityLevel: Number(level) }),
    allowBreaking: allow === 'breaking',
  }
}

/** `{"ids"}`, and what of the plugin's description was ignored. */
export function encodeUploaded({ ids, warnings }: Extract<Report, { ok: true }>) {
  return { ids, ...(warnings.length > 0 ? { warnings } : {}) }
}

function listed(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
}
