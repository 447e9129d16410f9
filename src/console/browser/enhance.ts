/** Makes the console quicker to use; every page works without it. It is sent as text, so it imports nothing. */

/** By the name in `data-format`; the time in UTC stays in the title. */
const FORMATS: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  day: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  hour: { hour: 'numeric', minute: '2-digit' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
}
for (const time of document.querySelectorAll('time')) {
  const at = new Date(time.dateTime)
  if (!Number.isFinite(at.getTime())) continue
  time.title = time.textContent ?? ''
  const format = FORMATS[time.dataset['format'] ?? ''] ?? { dateStyle: 'medium', timeStyle: 'short' }
  time.textContent = at.toLocaleString(undefined, format)
}
for (const note of document.querySelectorAll<HTMLElement>('[data-utc]')) note.hidden = true

for (const block of document.querySelectorAll('.copyable')) {
  const text = block.querySelector('pre')
  if (!text || !navigator.clipboard) continue
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet copy'
  button.textContent = 'Copy'
  const status = document.createElement('span')
  status.setAttribute('role', 'status')
  status.className = 'note'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent ?? '')
      status.textContent = 'Copied'
    } catch {
      status.textContent = 'Copying is blocked: select the text'
    }
    setTimeout(() => (status.textContent = ''), 3_000)
  })
  block.appendChild(button)
  block.appendChild(status)
}

// A browser focuses no field by itself where the address leads to a part of the page, as after a call
addEventListener('load', () => document.querySelector<HTMLElement>('[autofocus]')?.focus())

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', () => {
    setTimeout(() => {
      for (const button of form.querySelectorAll('button')) button.disabled = true
      const progress = form.querySelector<HTMLElement>('[data-progress]')
      if (progress) progress.hidden = false
    })
  })
}
// Repeats a call once a person has allowed or approved everything that it needs
const waiting = document.querySelector<HTMLElement>('[data-waiting]')
const call = document.querySelector<HTMLFormElement>('form[data-call]')
if (waiting && call) {
  let isEdited = false
  call.addEventListener('input', () => (isEdited = true))
  waiting.textContent = 'This page continues by itself when that is done.'
  const links = [...document.querySelectorAll<HTMLElement>('[data-check]')]
  void Promise.all(links.map(({ dataset }) => poll(dataset['check'] ?? ''))).then((states) => {
    const isDone = states.every((state) => state === 'completed')
    waiting.textContent = isDone
      ? 'Done: press Try again.'
      : 'That was refused or has expired: press Try again for a new link.'
    if (isDone && !isEdited) call.requestSubmit()
  })
}
async function poll(check: string): Promise<string | undefined> {
  for (;;) {
    const start = Date.now()
    try {
      // Only the path: a page's policy lets it reach its own server only
      const response = await fetch(`${new URL(check).pathname}?wait=50`, { headers: { accept: 'application/json' } })
      const { status }: { status?: string } = JSON.parse(await response.text())
      if (!response.ok || status === 'completed' || status === 'failed') return status
    } catch {
      // Retried, as the network may be away for a while
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000 - (Date.now() - start)))
  }
}
// The browser's history restores a form as it was: with disabled buttons
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  for (const button of document.querySelectorAll<HTMLButtonElement>('form button')) button.disabled = false
})

addEventListener('keydown', (event) => {
  // The page's own search field comes after the sidebar's, which is hidden on phones
  const search = [...document.querySelectorAll<HTMLInputElement>('input[type="search"]')].findLast((box) =>
    box.checkVisibility(),
  )
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || !search) return
  event.preventDefault()
  search.focus()
})
