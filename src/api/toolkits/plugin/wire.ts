import { version } from '../../../core/tool/definition-fields.ts'
import { defineQuery } from '../../../http/request/query.ts'
import {
  transform,
  array,
  enumReader,
  optional,
  stringArray,
  stringMatching,
  hideValue,
  INVALID_VALUE,
  addProblem,
} from '../../../core/tool/json-reader.ts'

const PAIR = stringMatching("a pair such as 'api-key:MY_SECRET'", /^[^\s:,]{1,128}:[A-Za-z0-9_.-]{1,128}$/)
const COMMA_LIST = transform(stringArray, splitCommas)
const CONFIG = transform(COMMA_LIST, (texts, report) => {
  const pairs = hideValue(array(PAIR))(texts, report)
  if (pairs === INVALID_VALUE) return INVALID_VALUE
  const config = new Map<string, string>()
  for (const pair of pairs) {
    const [key = '', secret = ''] = pair.split(':')
    if (config.has(key)) return addProblem(report, `Must have each key once, got '${key}' again`)
    config.set(key, secret)
  }
  return Object.fromEntries(config)
})
export const pluginQuery = defineQuery({
  version,
  security_level: optional(transform(stringMatching('an integer from 0 to 10', /^(?:\d|10)$/), Number)),
  approval: optional(transform(enumReader(['1']), () => true as const)),
  allowed_hosts: optional(COMMA_LIST, []),
  config: optional(CONFIG, {}),
  allow: optional(enumReader(['breaking'])),
})

function splitCommas(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]))
}
