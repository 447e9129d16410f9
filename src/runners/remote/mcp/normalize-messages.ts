import { isObject } from '../../../core/tool/json.ts'

/** Objects of MCP, and of its schemas, that PHP writes as lists where they are empty. */
const OBJECTS = new Set(['_meta', 'annotations', 'capabilities', 'properties'])
/** Null has a meaning in these. */
const SCHEMAS = new Set(['inputSchema', 'outputSchema', 'requestedSchema'])
/** The server's own values. */
const VALUES = new Set(['_meta', 'structuredContent', 'data'])
const SUSPECT = /null|\[\s*\]|"nextCursor":\s*""|"protocolVersion"/

/**
 * Takes null, an empty list for an object, and an empty cursor for absent, before the SDK refuses the message; and a
 * stream's last event for complete.
 */
export function normalizeMessages(response: Response): Response {
  const { body, status, headers } = response
  if (!body || !response.ok) return response
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true
  let line = ''
  const normalizeLines = (lines: string) => lines.replaceAll(/(?<=^data: ?)\{.*$/gm, normalizeText)
  const normalized = new TransformStream<string, string>({
    transform(text, controller) {
      const end = isStream ? text.lastIndexOf('\n') + 1 : 0
      if (end > 0) controller.enqueue(normalizeLines(line + text.slice(0, end)))
      line = (end > 0 ? '' : line) + text.slice(end)
    },
    // A blank line ends the last event, without which it would be passed over
    flush: (controller) => controller.enqueue(isStream ? normalizeLines(`${line}\n\n`) : normalizeText(line)),
  })
  const texts = body.pipeThrough(new TextDecoderStream()).pipeThrough(normalized)
  return new Response(texts.pipeThrough(new TextEncoderStream()), { status, headers })
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
