import type { Ask } from './connection.ts'
import { isObject, type JsonObject, objectsIn, parsed, textIn } from './json.ts'
import { errorOf, failedTool, lacking, SwitchboardError, wrongInput } from './switchboard-error.ts'

/** How far a tool says that it is. */
export interface Progress {
  readonly progress: number
  /** What `progress` is at the end, where the tool knows. */
  readonly total?: number
  readonly message?: string
}

/** A call, as it is sent where its progress is wanted. */
export interface ReportingCall {
  /** `Toolkit.Tool`, or a name. */
  readonly tool: string
  readonly version: string | undefined
  readonly callId: string
  readonly user: string | undefined
  readonly input: JsonObject
  readonly onProgress: (progress: Progress) => void
}

const REVISION = '2026-07-28'
const PROTOCOL = 'io.modelcontextprotocol'
const OWN = 'dev.switchboard'
/** The longest name that MCP has here; a longer id has a shortened one, which only a list tells. */
const MAX_NAME = 64

/** Whether a tool can be called so, by its id and for a user, who stands in a header. */
export function canReport(tool: string, user: string | undefined): boolean {
  return tool.length <= MAX_NAME && /^[\x20-\x7e]*$/.test(tool + (user ?? ''))
}

/** The request that has a tool called by MCP 2026-07-28, the dialect that streams progress; its answer is the value. */
export function reportingAsk(call: ReportingCall): Omit<Ask<unknown>, 'signal'> {
  const { tool, version, callId, user, input, onProgress } = call
  // The name that every tool has, whatever else it is called
  const name = tool.replaceAll('.', '_')
  const _meta = {
    progressToken: callId,
    [`${PROTOCOL}/protocolVersion`]: REVISION,
    [`${PROTOCOL}/clientCapabilities`]: {},
    [`${OWN}/call_id`]: callId,
    ...(version === undefined ? {} : { [`${OWN}/version`]: version }),
  }
  return {
    method: 'POST',
    path: '/mcp',
    json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input, _meta } },
    headers: {
      'accept': 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...(user === undefined ? {} : { 'x-user-id': user }),
    },
    repeatable: true,
    async read(response) {
      for await (const message of messagesOf(response)) {
        if (!isObject(message)) break
        if (message['method'] === 'notifications/progress') {
          const progress = progressOf(message['params'])
          // What it throws is no fault of the connection
          queueMicrotask(() => onProgress(progress))
        } else if ('result' in message || 'error' in message) return valueOf(message)
      }
      throw new SwitchboardError('unreachable', 'The connection was lost before there was an answer', {
        canRetry: true,
      })
    },
  }
}

/** The messages of an answer, which is one, or a stream of them (HTML, section 9.2, "Server-sent events"). */
async function* messagesOf(response: Response): AsyncGenerator<unknown, void, undefined> {
  if (!response.headers.get('content-type')?.includes('text/event-stream')) return yield parsed(await response.text())
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let waiting = ''
  try {
    for (;;) {
      const part = await reader?.read()
      if (!part || part.done) return
      const events = (waiting + decoder.decode(part.value, { stream: true })).split(/\r?\n\r?\n/)
      waiting = events.pop() ?? ''
      for (const event of events) {
        const data = [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line = '']) => line)
        if (data.length > 0) yield parsed(data.join('\n'))
      }
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

function progressOf(params: unknown): Progress {
  const { progress = 0, total, message } = isObject(params) ? params : {}
  return {
    progress: Number(progress),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
}

/** What a call gave, as the canonical face says it; throws what it failed with. */
function valueOf({ result, error }: JsonObject): unknown {
  if (isObject(error)) {
    const code = Number(error['code'])
    // Codes of HTTP are themselves; -32603 is that nobody can tell now
    const status = code >= 400 && code < 600 ? code : code === -32603 ? 503 : 400
    throw errorOf(status, error, null, true)
  }
  const content = objectsIn(result, 'content')
  const texts = content.map((each) => textIn(each, 'text') ?? '')
  if (!isObject(result) || result['isError'] === true) throw failureOf(result, texts.join('\n'))
  if (result['structuredContent'] !== undefined) return result['structuredContent']
  // A tool without an output gives null, in words
  if (content.length === 0 || (content.length === 1 && texts[0] === 'null')) return null
  return content.every(({ type }) => type === 'text') ? texts.join('\n') : { content }
}

function failureOf(result: unknown, said: string): SwitchboardError {
  const meta = isObject(result) && isObject(result['_meta']) ? result['_meta'] : {}
  const missing = meta[`${OWN}/missing_requirements`]
  if (isObject(missing)) return lacking(said, missing, {})
  const parameters = meta[`${OWN}/parameter_errors`]
  if (isObject(parameters)) return wrongInput(said, parameters, {})
  return failedTool(meta[`${OWN}/error`], said)
}
