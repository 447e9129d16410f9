import { bigInteger } from '../../../core/tool/big-integers.ts'
import { isObject } from '../../../core/tool/json.ts'

/** Objects of MCP, and of its schemas, that PHP writes as lists where they are empty. */
const OBJECTS = new Set(['_meta', 'annotations', 'capabilities', 'properties'])
/** Null has a meaning in these. */
const SCHEMAS = new Set(['inputSchema', 'outputSchema', 'requestedSchema'])
/** The server's own values. */
const VALUES = new Set(['_meta', 'structuredContent', 'data'])
const SUSPECT = /null|\[\s*\]|"nextCursor":\s*""|"protocolVersion"/

const TOKEN = /\\.|"|-?\d[-+.\deE]*/g

/**
 * Before the SDK parses a message: what it would refuse (null, an empty list for an object, an empty cursor) is absent,
 * and big integers, which it would change, are texts behind the tag. A stream's last event is taken for complete.
 */
export function normalizeMessages(response: Response, tag: string): Response {
  const { body, status, headers } = response
  if (!body || !response.ok) return response
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true
  let line = ''
  const rewrite = (text: string) => normalizeText(tagIntegers(text, tag))
  // Neither a text nor a number goes on in the next line
  const rewriteLines = (lines: string) => lines.replaceAll(/(?<=^data:)[^\r\n]*/gm, rewrite)
  const normalized = new TransformStream<string, string>({
    transform(text, controller) {
      const end = isStream ? text.lastIndexOf('\n') + 1 : 0
      if (end > 0) controller.enqueue(rewriteLines(line + text.slice(0, end)))
      line = (end > 0 ? '' : line) + text.slice(end)
    },
    // A blank line ends the last event, without which it would be passed over
    flush: (controller) => controller.enqueue(isStream ? rewriteLines(`${line}\n\n`) : rewrite(line)),
  })
  const texts = body.pipeThrough(new TextDecoderStream()).pipeThrough(normalized)
  return new Response(texts.pipeThrough(new TextEncoderStream()), { status, headers })
}

function tagIntegers(text: string, tag: string): string {
  if (!/\d{16}/.test(text)) return text
  let isText = false
  return text.replace(TOKEN, (token) => {
    if (token === '"') isText = !isText
    return isText || bigInteger(token) === undefined ? token : `"${tag}${token}"`
  })
}

function normalizeText(text: string): string {
  if (!SUSPECT.test(text)) return text
  try {
    return JSON.stringify(normalize(JSON.parse(text)))
  } catch {
    return text
  }
}

function normalize(value: unknown, name = '', keepsNulls = false): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 && OBJECTS.has(name)) return {}
    return VALUES.has(name) ? value : value.map((each) => normalize(each, '', keepsNulls))
  }
  if (!isObject(value) || VALUES.has(name)) return value
  const holdsNulls = keepsNulls || SCHEMAS.has(name)
  const members = Object.entries(value)
    .filter(([key, member]) => (member !== null || holdsNulls) && (key !== 'nextCursor' || member !== ''))
    .map(([key, member]) => [key, normalize(member, name === 'capabilities' ? name : key, holdsNulls)] as const)
  const object: Readonly<Record<string, unknown>> = Object.fromEntries(members)
  if (!('protocolVersion' in object)) return object
  const { serverInfo } = object
  return { capabilities: {}, ...object, serverInfo: { name: '', version: '', ...(isObject(serverInfo) && serverInfo) } }
}
