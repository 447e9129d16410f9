import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Problem } from '../../core/tool/problem.ts'
import { laidOut } from '../../http/page/laid-out-json.ts'
import type { Leads, View, Visit } from '../page.ts'
import { Copyable, Notice } from '../parts.tsx'
import { readCommand } from './command.ts'
import { CommandForm } from './form.tsx'

/** So many bytes of an answer are read and shown. */
const MAX_SHOWN = 100_000
const IS_TEXT =
  /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-ndjson|jsonl|openmetrics-text|javascript)\b)/i
const IS_JSON = /^application\/(?:[\w.+-]+\+)?json\b/i

/** A field for a command. It is empty: nobody else's link writes it. */
export async function show(): Promise<View | Leads> {
  return shellView('', undefined)
}

/** Sends the request that a command says, as who visits, and shows what came back. */
export async function act(visit: Visit): Promise<View | Leads> {
  const command = visit.form.get('command') ?? ''
  const request = readCommand(command, visit.url.origin)
  if (!request.ok) return shellView(command, <NotSent problems={request.problems} />, 400)
  const response = await visit.send(request.value)
  const { status, statusText, headers } = response
  const body = await bodyOf(response)
  return shellView(
    command,
    <>
      <Notice isProblem={status >= 400}>
        <p>
          <strong>
            HTTP {String(status)} {statusText}
          </strong>{' '}
          to {request.value.method} <code>{request.value.path}</code>
        </p>
      </Notice>
      {body}
      <details>
        <summary>Headers</summary>
        <pre>
          {[...headers]
            .filter(([name]) => name !== 'set-cookie')
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        </pre>
      </details>
    </>,
  )
}

function shellView(command: string, answer: JSX.Element | undefined, status = 200): View {
  return {
    title: 'Shell',
    status,
    content: (
      <>
        <p class="note">
          It takes one <code>curl</code> with <code>-X</code>, <code>-H</code>, <code>-d</code>, <code>--json</code>,{' '}
          <code>-G</code> and <code>--data-urlencode</code>, as the foot of each page writes them. Nothing is expanded,
          and nothing else is run.
        </p>
        <CommandForm command={command} />
        <section id="answer" aria-label="Answer">
          {answer}
        </section>
      </>
    ),
  }
}

function NotSent({ problems }: { problems: readonly Problem[] }) {
  return (
    <Notice isProblem>
      <p>
        <strong>Nothing was sent.</strong>
      </p>
      {problems.map(({ message }) => (
        <p>{message}.</p>
      ))}
    </Notice>
  )
}

/** What an answer holds, as far as it is shown: text, JSON set out with each number as it was written. */
async function bodyOf(response: Response): Promise<JSX.Element> {
  const type = response.headers.get('content-type') ?? ''
  if (!response.body) return <p class="note">It has no body.</p>
  if (!IS_TEXT.test(type)) {
    await response.body.cancel()
    return <p class="note">Its body is no text, so it is not shown: {type === '' ? 'it has no type' : type}.</p>
  }
  const { text, isCut } = await beginningOf(response.body)
  if (text === '') return <p class="note">Its body is empty.</p>
  const isSetOut = IS_JSON.test(type) && !isCut
  return (
    <>
      <Copyable text={isSetOut ? laidOut(text) : text} />
      {isCut ? <p class="note">It is longer: this is how it begins.</p> : undefined}
    </>
  )
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let read = 0
  // Leaving the loop cancels what is left
  for await (const chunk of body) {
    const room = MAX_SHOWN - read
    text += decoder.decode(chunk.subarray(0, room), { stream: true })
    read += chunk.byteLength
    if (read > MAX_SHOWN) return { text, isCut: true }
  }
  return { text: text + decoder.decode(), isCut: false }
}
