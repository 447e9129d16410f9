/** The SDK parses what servers answer, and would change big integers: on the way to it they are texts with a tag. */
import { bigInteger } from '../../../core/tool/big-integers.ts'

const TOKEN = /\\.|"|-?\d[-+.\deE]*/g

/** Tags the big integers of JSON, line by line: neither a text nor a number goes on in the next one. */
export function tagIntegers(response: Response, tag: string): Response {
  const { body, status, statusText, headers } = response
  if (!body) return response
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  const tagged = (line: string): string => {
    if ((isEvents && !line.startsWith('data:')) || !/\d{16}/.test(line)) return line
    let isText = false
    return line.replace(TOKEN, (token) => {
      if (token === '"') isText = !isText
      return isText || bigInteger(token) === undefined ? token : `"${tag}${token}"`
    })
  }
  const tagging = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true })
      const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
      // A line that goes on is not looked at for each piece of it
      const lines = end === 0 ? [] : (rest + text.slice(0, end)).split(/(?<=[\r\n])/)
      rest = (end === 0 ? rest : '') + text.slice(end)
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.map(tagged).join('')))
    },
    flush(controller) {
      controller.enqueue(encoder.encode(tagged(rest + decoder.decode())))
    },
  })
  return new Response(body.pipeThrough(tagging), { status, statusText, headers })
}
