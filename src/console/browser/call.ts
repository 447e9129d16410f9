/** Calls a tool without leaving its page. It is sent after `enhance.ts`, whose functions it uses. */

const CALL_FORM = 'form[data-call]'

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.matches(CALL_FORM)) return
  event.preventDefault()
  void call(form, new FormData(form, event.submitter))
})

/**
 * Calls a tool, and shows the result in place. The call has no id, so the server cancels it when the request ends, because the
 * person canceled it or left the page.
 */
async function call(form: HTMLFormElement, fields: FormData): Promise<void> {
  fields.delete('call_id')
  const body = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]))
  const request = new AbortController()
  const live = form.querySelector('[data-live]')
  const calling = [...(live?.childNodes ?? [])]
  const [seconds, note] = ['[data-seconds]', '[data-note]'].map((name) => form.querySelector(name))
  note?.replaceChildren()
  const start = Date.now()
  const showSeconds = () => seconds && (seconds.textContent = `${Math.round((Date.now() - start) / 1_000)} s`)
  const clock = setInterval(showSeconds, 1_000)
  showSeconds()
  form.querySelector('[data-cancel]')?.addEventListener('click', () => request.abort(), { once: true })
  const warn = (event: Event) => event.preventDefault()
  addEventListener('beforeunload', warn)
  try {
    const response = await fetch(location.pathname, { method: 'POST', body, signal: request.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let html = ''
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      html += part.value
      const progress = parse(html).querySelector('.live > p:last-of-type')
      if (progress) live?.replaceChildren(...progress.childNodes)
    }
    if (response.redirected) return location.assign(response.url)
    const page = parse(html)
    if (!page.querySelector(CALL_FORM)) throw new Error(page.querySelector('main')?.textContent ?? '')
    for (const name of ['main', 'footer']) {
      const [part, newPart] = [document.querySelector<HTMLElement>(name), page.querySelector(name)]
      if (!part || !newPart) continue
      part.replaceChildren(...newPart.childNodes)
      enhance(part)
    }
    void repeatWhenAllowed()
    // An invalid field takes precedence over the result
    document.querySelector<HTMLElement>('main [autofocus], #answer:not([hidden])')?.focus()
  } catch (error) {
    setRunning(form, false)
    live?.replaceChildren(...calling)
    if (note)
      note.textContent = request.signal.aborted
        ? 'Cancelled. It may already have taken effect.'
        : `No result. ${String(error)}`
  } finally {
    clearInterval(clock)
    removeEventListener('beforeunload', warn)
  }
}

/** Parses a page without its head, because the policy of this page would refuse its style and script. */
const parse = (html: string) => new DOMParser().parseFromString(html.split(/<\/head>/)[1] ?? '', 'text/html')

/** Repeats a call once a person has allowed or approved everything that it needs. */
async function repeatWhenAllowed(): Promise<void> {
  const [waiting, form] = [
    document.querySelector<HTMLElement>('[data-waiting]'),
    document.querySelector<HTMLFormElement>(CALL_FORM),
  ]
  if (!waiting || !form) return
  let isEdited = false
  form.addEventListener('input', () => (isEdited = true))
  waiting.textContent = 'This page continues by itself when that is done.'
  const links = [...document.querySelectorAll<HTMLElement>('[data-check]')]
  const states = await Promise.all(links.map(({ dataset }) => poll(dataset['check'] ?? '')))
  const isDone = states.every((state) => state === 'completed')
  waiting.textContent = isDone
    ? 'Done: press Call tool.'
    : 'That was denied or has expired: press Call tool for a new link.'
  if (isDone && !isEdited && form.isConnected) form.requestSubmit()
}

async function poll(check: string): Promise<string | undefined> {
  for (;;) {
    const start = Date.now()
    try {
      // Only the path: the page's policy allows requests only to its own server
      const response = await fetch(`${new URL(check).pathname}?wait=50`, { headers: { accept: 'application/json' } })
      const { status }: { status?: string } = JSON.parse(await response.text())
      if (!response.ok || status === 'completed' || status === 'failed') return status
    } catch {
      // Retried, because the network may be down for a while
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000 - (Date.now() - start)))
  }
}

void repeatWhenAllowed()

/** Answers messages of a tool's page (MCP Apps), in a frame without an origin. It can call only its toolkit, as this person. */
async function answerApp({ source, data }: MessageEvent): Promise<void> {
  const frames = [...document.querySelectorAll<HTMLIFrameElement>('iframe[data-toolkit]')]
  const frame = frames.find(({ contentWindow }) => contentWindow === source)
  if (!frame || data?.jsonrpc !== '2.0') return
  const { id, method, params } = data
  const { toolkit = '', input = '{}', result } = frame.dataset
  const send = (message: object) => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*')
  if (method === 'ui/notifications/size-changed' && params?.height > 0)
    frame.height = String(Math.min(params.height, MAX_FRAME_PX))
  if (method === 'ui/notifications/initialized' && result !== undefined) {
    send({ method: 'ui/notifications/tool-input', params: { arguments: JSON.parse(input) } })
    send({ method: 'ui/notifications/tool-result', params: JSON.parse(result) })
  }
  if (id === undefined || method === undefined) return
  if (method === 'ping') return send({ id, result: {} })
  if (method === 'ui/initialize') {
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    const { protocolVersion = '2026-01-26' } = params ?? {}
    const host = { hostInfo: { name: 'switchboard', version: '1' }, hostCapabilities: { serverTools: {} } }
    return send({ id, result: { protocolVersion, ...host, hostContext: { theme, displayMode: 'inline' } } })
  }
  if (method !== 'tools/call')
    return send({ id, error: { code: -32601, message: 'The console does not support this method' } })
  const call = { jsonrpc: '2.0', id, method, params: { name: params?.name, arguments: params?.arguments } }
  try {
    const response = await fetch(`/console/mcp?${new URLSearchParams({ toolkits: toolkit, names: 'bare' })}`, {
      method: 'POST',
      body: JSON.stringify(call),
      headers: {
        'content-type': 'application/json',
        'accept': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
    })
    send({ ...JSON.parse(await response.text()), id })
  } catch (error) {
    send({ id, error: { code: -32603, message: String(error) } })
  }
}

const MAX_FRAME_PX = 1_200
addEventListener('message', (event) => void answerApp(event))
