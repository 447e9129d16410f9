import { type Checked, refused } from '../../core/tool/problem.ts'
import type { WrittenRequest } from '../page.ts'
import { type Word, wordsOf } from './words.ts'

type Option = 'method' | 'header' | 'data' | 'raw' | 'json' | 'encoded' | 'get' | 'head' | 'url' | 'nothing'

/** The options of curl that a command may have. `nothing`: they are about how curl shows or sends what it does anyway. */
const OPTIONS: ReadonlyMap<string, Option> = new Map([
  ['-X', 'method'],
  ['--request', 'method'],
  ['-H', 'header'],
  ['--header', 'header'],
  ['-d', 'data'],
  ['--data', 'data'],
  ['--data-ascii', 'data'],
  ['--data-binary', 'data'],
  ['--data-raw', 'raw'],
  ['--data-urlencode', 'encoded'],
  ['--json', 'json'],
  ['-G', 'get'],
  ['--get', 'get'],
  ['-I', 'head'],
  ['--head', 'head'],
  ['--url', 'url'],
  ...['-s', '-S', '-i', '-v', '-f', '-N'].map((name): [string, Option] => [name, 'nothing']),
  ...['--silent', '--show-error', '--include', '--verbose', '--fail', '--no-buffer', '--compressed'].map(
    (name): [string, Option] => [name, 'nothing'],
  ),
])
const WITHOUT_VALUE: ReadonlySet<Option> = new Set(['get', 'head', 'nothing'])
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The headers that routes read and that say nothing of who asks, save for which user of theirs it is. */
const HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'oxp-version',
  'range',
  'traceparent',
  'x-user-id',
])
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'oxp-api-key'])

/** Of a command, in characters. */
const MAX_COMMAND = 100_000

interface Read {
  method?: string
  url?: string
  readonly headers: Headers
  readonly data: string[]
  isQuery: boolean
}

/**
 * Reads a command for curl as a request to this deployment, at `origin`. It is for whoever sends it, so it brings no credential:
 * one in a variable, as commands here have it, is passed over.
 */
export function readCommand(command: string, origin: string): Checked<WrittenRequest> {
  if (command.length > MAX_COMMAND) return refused(`Must be at most ${MAX_COMMAND} characters long`)
  const words = wordsOf(command)
  if (!words.ok) return words
  const [program, ...given] = words.value
  if (program?.text !== 'curl') return refused("Must be one command, which begins with 'curl'")
  const read: Read = { headers: new Headers(), data: [], isQuery: false }
  const problem = takeAll(given, read)
  return problem === undefined ? requestOf(read, origin) : refused(problem)
}

function takeAll(given: readonly Word[], read: Read): string | undefined {
  const left = [...given]
  for (let word = left.shift(); word; word = left.shift()) {
    const { text, hasVariable } = word
    const isShort = /^-[^-]/.test(text)
    const name = isShort ? text.slice(0, 2) : text
    const option = text.startsWith('-') ? OPTIONS.get(name) : 'url'
    if (option === undefined) return `Cannot take the option '${name.slice(0, 40)}' here`
    const attached = isShort ? text.slice(2) : ''
    if (WITHOUT_VALUE.has(option) && attached !== '') left.unshift({ text: `-${attached}`, hasVariable })
    const isOwnValue = option === 'url' && !text.startsWith('-')
    const value = isOwnValue || attached !== '' ? { text: isOwnValue ? text : attached, hasVariable } : undefined
    const next = WITHOUT_VALUE.has(option) ? undefined : (value ?? left.shift())
    if (!WITHOUT_VALUE.has(option) && next === undefined) return `Lacks what is to follow '${name}'`
    const problem = take(option, next ?? { text: '', hasVariable: false }, read)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Takes one option with its value. Gives what is wrong with it. */
function take(option: Option, { text, hasVariable }: Word, read: Read): string | undefined {
  if (option === 'header') return takeHeader(text, hasVariable, read)
  if (hasVariable) return "Has a variable, and nothing is known here of what it holds: put '…' around a $ that is one"
  switch (option) {
    case 'method':
      if (!METHODS.has(text)) return `Cannot send the method '${text.slice(0, 40)}'`
      read.method = text
      return undefined
    case 'url':
      if (read.url !== undefined) return 'Must have one address, got several'
      read.url = text
      return undefined
    case 'json':
      if (!read.headers.has('content-type')) read.headers.set('content-type', 'application/json')
      if (!read.headers.has('accept')) read.headers.set('accept', 'application/json')
      return takeData(text, read)
    case 'data':
      return takeData(text, read)
    case 'raw':
      read.data.push(text)
      return undefined
    case 'encoded': {
      const [, name, value] = /^([^=@]*)=([^]*)$/.exec(text) ?? []
      if (value === undefined) return "Must write '--data-urlencode' as name=value"
      read.data.push(`${name === '' ? '' : `${name}=`}${encodeURIComponent(value)}`)
      return undefined
    }
    case 'get':
      read.isQuery = true
      return undefined
    case 'head':
      read.method ??= 'HEAD'
      return undefined
    case 'nothing':
      return undefined
  }
}

function takeData(text: string, read: Read): string | undefined {
  if (text.startsWith('@')) return 'Cannot read a file: write what is to be sent'
  read.data.push(text)
  return undefined
}

function takeHeader(text: string, hasVariable: boolean, { headers }: Read): string | undefined {
  const [, name = '', value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([^\r\n\0]*)$/.exec(text) ?? []
  const known = name.toLowerCase()
  if (name === '') return "Must write a header as 'Name: value'"
  if (CREDENTIALS.has(known)) {
    return hasVariable ? undefined : `Is sent as you, who are signed in: leave the header '${name}' out`
  }
  if (!HEADERS.has(known)) return `Cannot send the header '${name.slice(0, 60)}' from here`
  if (hasVariable) return `Has a variable in the header '${name}', and nothing is known here of what it holds`
  // Of what is no header's value (RFC 9110, section 5.5) there is no request
  if (/[^\t\x20-\x7e]/.test(value)) return `Has a character in the header '${name}' that none may have`
  headers.set(name, value)
  return undefined
}

function requestOf({ method, url: written, headers, data, isQuery }: Read, origin: string): Checked<WrittenRequest> {
  if (written === undefined) return refused('Lacks an address')
  const isAddress = /^(?:https?:\/\/|\/(?!\/))/i.test(written) && URL.canParse(written, origin)
  const url = isAddress ? new URL(written, origin) : undefined
  if (!url) return refused(`Must have an address that begins with '${origin}/' or '/'`)
  if (url.origin !== origin)
    return refused(`Goes to this Switchboard alone, at '${origin}', and not to '${url.origin}'`)
  if (url.username !== '' || url.password !== '') return refused('Must not have a name or password in its address')
  if (/^\/console(?:\/|$)/.test(url.pathname))
    return refused('Cannot open a page of the console: those are for browsers')
  const body = data.join('&')
  const query = isQuery && body !== '' ? `${url.search === '' ? '?' : '&'}${body}` : ''
  const path = url.pathname + url.search + query
  const hasBody = data.length > 0 && !isQuery
  const verb = method ?? (hasBody ? 'POST' : 'GET')
  if (hasBody && (verb === 'GET' || verb === 'HEAD')) return refused(`Cannot send a body with ${verb}`)
  if (!hasBody) return { ok: true, value: { method: verb, path, headers } }
  if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
  return { ok: true, value: { method: verb, path, headers, body } }
}
