/**
 * Messages from the deployment mention requests, such as `PATCH /toolkits/Kit {"status": "disabled"}`, `GET /tools?toolkit=Kit`
 * or `?allow=breaking`. `toCliTerms` replaces them with equivalent commands and options. Requests without a command stay.
 */
import { isObject, tryParseJson } from '../client/json.ts'

const REQUEST = /\b(GET|POST|PUT|PATCH|DELETE) (\/[^\s?'"`;,:)]*)(?:\?([^\s'"`;:)]*))?(?: (?:and )?(\{"[^{}]*\}))?/g
const PARAMETER = /(?<=^|[\s('"])\?(\w+)=(\w*)/g

export const STATUS_COMMANDS = {
  disabled: 'disable',
  active: 'enable',
  deprecated: 'deprecate',
  yanked: 'yank',
} as const

const STATUS_COMMAND: ReadonlyMap<unknown, string> = new Map(Object.entries(STATUS_COMMANDS))

/** Commands by route; `*` is the command's argument. */
const COMMANDS: Readonly<Record<string, string>> = {
  'GET /tools': 'list',
  'GET /tools/*': 'show',
  'GET /tools/*/readiness': 'show',
  'POST /tools': 'publish',
  'POST /tools/call': 'call',
  'PUT /toolkits/*': 'toolkits set',
  'PATCH /toolkits/*': 'toolkits set',
  'PUT /policies/*': 'policies set',
  'PUT /providers/*': 'providers set',
  'PUT /toolsets/*': 'toolsets put',
  'PUT /locks': 'lock --push',
  'GET /keys': 'keys list',
  'POST /keys': 'keys create',
}

const OPTIONS: Readonly<Record<string, string>> = {
  'allow=breaking': '--allow-breaking',
  'versions=all': '--all-versions',
  'trust=1': '--trust',
}

/** Terms outside of requests that differ between the command line and the API. */
const NAMES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/'select' is not a JMESPath expression/g, '--select is not a JMESPath expression'],
  [/'allowHttp'/g, '--allow-http'],
  [/(Must be one or several of )principal\b/g, '$1caller'],
  [/set 'context\.user_id' or \(MCP and plugins\) the header 'X-User-Id'/g, 'pass --user'],
  [/Set 'credentials' of the import or implementation/g, `Pass --more '{"credentials": {"secret": "ITS_KEY"}}'`],
]

export function toCliTerms(message: string): string {
  return NAMES.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), message)
    .replaceAll(REQUEST, formatRequest)
    .replaceAll(PARAMETER, (_, name: string, value: string) => formatOption(name, value))
}

function formatRequest(request: string, method: string, path: string, query = '', body = ''): string {
  const bodyJson = tryParseJson(body)
  const fields = { ...Object.fromEntries(new URLSearchParams(query)), ...(isObject(bodyJson) ? bodyJson : {}) }
  const { status, ...others } = fields
  const isStatus = method === 'PATCH' && status !== undefined
  const [, resource = '', id = '', ...rest] = path.split('/')
  const alone = COMMANDS[`${method} ${path}`]
  const command = isStatus
    ? STATUS_COMMAND.get(status)
    : (alone ?? COMMANDS[[`${method} /${resource}`, '*', ...rest].join('/')])
  if (command === undefined) return request
  const options = Object.entries(isStatus ? others : fields).map(([name, value]) => formatOption(name, String(value)))
  return ['switchboard', command, ...(alone === undefined ? [id] : []), ...options].join(' ')
}

function formatOption(name: string, value: string): string {
  const option = `--${name.replaceAll('_', '-')}`
  return OPTIONS[`${name}=${value}`] ?? (value === '' ? option : `${option} ${value}`)
}
