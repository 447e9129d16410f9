import { bigInteger } from '../../../core/tool/big-integers.ts'
import { isObject } from '../../../core/tool/json.ts'

/** Members that are objects. PHP writes an empty one as a list. */
const OBJECTS = new Set(['_meta', 'annotations', 'capabilities', 'properties'])
/** Members that are JSON Schemas, in which null has a meaning. */
const SCHEMAS = new Set(['inputSchema', 'outputSchema', 'requestedSchema'])
/** Members that contain the server's own values, which stay unchanged. */
const VALUES = new Set(['_meta', 'structuredContent', 'data'])
/** Texts that `normalize` may change. Others are not parsed. */
const SUSPECT = /null|\[\s*\]|"nextCursor":\s*(?:""|0|false)|"protocolVersion"/
/** An escape sequence, such as an escaped quote; a quote; or a number. */
const TOKEN = /\\.|"|-?\d[-+.\deE]*/g

/**
 * Changes a response before the SDK parses it:
 *
 * 1. The SDK would refuse null, cursors that are empty, 0 or false, and empty lists instead of objects. The first two are left
 *    out, and the lists become objects: `{"title": null, "annotations": []}` becomes `{"annotations": {}}`. Blocks and texts
 *    of null are removed from content, so that a tool that has run keeps the rest of its output.
 * 2. The SDK would refuse the result of `initialize` without `capabilities` or `serverInfo`: empty ones are added.
 * 3. The SDK would round big integers: each becomes a text that begins with the tag. The transport restores it.
 * 4. The SDK would skip a stream's last event without a blank line after it: the line is added.
 */
export function normalizeMessages(response: Response, tag: string): Response {
  const { body, status, headers } = response
  if (!body || !response.ok) return response
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true
  let line = ''
  const rewrite = (text: string) => normalizeText(tagIntegers(text, tag))
  // JSON texts and numbers end on the line they begin on, so each line can be rewritten by itself
  const rewriteLines = (lines: string) => lines.replaceAll(/(?<=^data:)[^\r\n]*/gm, rewrite)
  const normalized = new TransformStream<string, string>({
    transform(text, controller) {
      const end = isStream ? text.lastIndexOf('\n') + 1 : 0
      if (end > 0) controller.enqueue(rewriteLines(line + text.slice(0, end)))
      line = (end > 0 ? '' : line) + text.slice(end)
    },
    flush: (controller) => controller.enqueue(isStream ? rewriteLines(`${line}\n\n`) : rewrite(line)),
  })
  const texts = body.pipeThrough(new TextDecoderStream()).pipeThrough(normalized)
  return new Response(texts.pipeThrough(new TextEncoderStream()), { status, headers })
}

function tagIntegers(text: string, tag: string): string {
  if (!/\d{16}/.test(text)) return text
  let isInString = false
  return text.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString
    return isInString || bigInteger(token) === undefined ? token : `"${tag}${token}"`
  })
}

function normalizeText(text: string): string {
  if (!SUSPECT.test(text)) return text
  try {
    return JSON.stringify(normalize(JSON.parse(text), '', false))
  } catch {
    return text
  }
}

/** `name` is the value's member name. `isInSchema`: the value is a JSON Schema or part of one. */
function normalize(value: unknown, name: string, isInSchema: boolean): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 && OBJECTS.has(name)) return {}
    if (VALUES.has(name)) return value
    const items = name === 'content' && !isInSchema ? value.filter((block) => !isEmptyBlock(block)) : value
    return items.map((item) => normalize(item, '', isInSchema))
  }
  if (!isObject(value) || VALUES.has(name)) return value
  // Each capability is an object, whatever its name
  const toChildName = (key: string) => (name === 'capabilities' ? name : key)
  const members = Object.entries(value)
    .filter(([key, member]) => isInSchema || (member !== null && (key !== 'nextCursor' || Boolean(member))))
    .map(([key, member]) => [key, normalize(member, toChildName(key), isInSchema || SCHEMAS.has(key))] as const)
  const object: Readonly<Record<string, unknown>> = Object.fromEntries(members)
  return 'protocolVersion' in object ? completeInitializeResult(object) : object
}

function isEmptyBlock(block: unknown): boolean {
  return block === null || (isObject(block) && block.type === 'text' && block.text === null)
}

function completeInitializeResult(result: Readonly<Record<string, unknown>>): object {
  const { serverInfo } = result
  return { capabilities: {}, ...result, serverInfo: { name: '', version: '', ...(isObject(serverInfo) && serverInfo) } }
}
