import { formatJson } from '../client/json.ts'

const CONTROLS = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

export function clean(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, '\ufffd')
}

const CREDENTIALS = `such as --more '{"credentials": {"secret": "ITS_KEY"}}'`

const CLI_TERMS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ \(\?trust=1\)/g, ''],
  [/The key is not valid/g, 'The settings of the key are not valid'],
  [/^ {2}\/expires_at:/g, '  --expires:'],
  [/^ {2}\/(toolkit|version|limits):/g, '  --$1:'],
  [
    /^ {2}\/from\/\S+: (\S+) wants other credentials: it answered (\d+).*/g,
    `  $1 answered $2: name a secret, ${CREDENTIALS}`,
  ],
  [/'select' is not a JMESPath expression/g, '--select is not a JMESPath expression'],
  [/requests to ('http:[^']+') \(wanted "https:", got "http:"\) are refused/g, 'plain http to $1 is refused'],
  [/the query at 'act'/g, '--action'],
  [/GET \/tools\?toolkit=([\w-]+)&status=/g, 'switchboard list --toolkit $1 --status '],
  [/GET \/tools\?toolkit=([\w-]+)&versions=all\b/g, 'switchboard list --toolkit $1 --all-versions'],
  [/\?allow=breaking\b/g, '--allow-breaking'],
  [/\?dialect=/g, '--dialect (of convert: --from)'],
  [/publish with \?toolkit=/g, 'add --toolkit'],
  [/\?(toolkit|version)=/g, '--$1'],
  [/'allowHttp'/g, '--allow-http'],
  [/(Must be one or several of )principal\b/g, '$1caller'],
  [/, or \{"definition", "toolkit", "version"\}/g, ''],
  [/set 'context\.user_id' or \(MCP and plugins\) the header 'X-User-Id'/g, 'pass --user'],
  [/PATCH \/tools\/\{id\}, or its toolkit with PATCH \/toolkits\/\{toolkit\}/g, 'switchboard enable'],
  [/PATCH \/toolkits\/([\w-]+) and \{"status": "disabled"\}/g, 'switchboard disable $1'],
  [/PATCH \/toolkits\/([\w-]+)/g, 'switchboard enable $1'],
]

/** Replaces parameters of requests in a message of the deployment with options of the command line. */
export function toCliTerms(message: string, command?: string): string {
  const title = command === 'import' ? message.replace('The definition is not valid', 'Cannot import') : message
  return CLI_TERMS.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), title)
}

export function formatProblem({ path, message }: { readonly path?: unknown; readonly message?: unknown }): string {
  return `  ${path === '' || path === undefined ? '' : `${String(path)}: `}${String(message)}`
}

export function toSingleLine(text: string, width: number): string {
  const line = clean(text).replaceAll(/\s+/g, ' ').trim()
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`
}

export function formatJsonText(value: unknown): string {
  const text = formatJson(value, 2) ?? 'null'
  return text.replace(CONTROLS, (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
}

export type StyledText = string | readonly [Style, string]

export function formatStyledLine(parts: readonly StyledText[], colored: boolean): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return indentLines(part)
      const [style, text] = part
      const [begin, end] = CODES[style]
      return colored ? `\x1b[${begin}m${indentLines(text)}\x1b[${end}m` : indentLines(text)
    })
    .join('')
}

function indentLines(text: string): string {
  return clean(text).replaceAll(/\n(?=[^\n])/g, '\n      ')
}
