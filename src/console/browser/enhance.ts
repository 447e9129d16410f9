/** Makes the console quicker to use; every page works without it. It is sent as text, so it imports nothing. */

/** Formats by the name in `data-format`. The title keeps the time in UTC. */
const FORMATS: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  day: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  hour: { hour: 'numeric', minute: '2-digit' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  ago: { dateStyle: 'medium', timeStyle: 'medium' },
}
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
const MINUTE_MS = 60_000

/** Enhances a page, or the part of it that a call has replaced. */
function enhance(part: Document | HTMLElement): void {
  part.querySelectorAll('time').forEach(localizeTime)
  for (const note of part.querySelectorAll<HTMLElement>('[data-utc]')) note.hidden = true
  part.querySelectorAll<HTMLElement>('.copyable').forEach(addCopyButtons)
}

function localizeTime(time: HTMLTimeElement): void {
  const at = new Date(time.dateTime)
  if (!Number.isFinite(at.getTime())) return
  const { format = '' } = time.dataset
  const isAgo = format === 'ago'
  const text = at.toLocaleString(undefined, FORMATS[format] ?? { dateStyle: 'medium', timeStyle: 'short' })
  time.title ||= isAgo ? `${text} (${time.textContent})` : (time.textContent ?? '')
  time.textContent = isAgo ? formatAgo(at) : text
}

/** Formats a relative time, such as "3 minutes ago". */
function formatAgo(at: Date): string {
  const seconds = (at.getTime() - Date.now()) / 1_000
  const [unit, length] = UNITS.find((candidate) => Math.abs(seconds) >= candidate[1]) ?? UNITS[3]
  return new Intl.RelativeTimeFormat().format(Math.trunc(seconds / length), unit)
}

function addCopyButtons(block: HTMLElement): void {
  const text = block.querySelector('pre')?.textContent ?? ''
  const file = block.dataset['file']
  const buttons = document.createElement('div')
  buttons.className = 'copy'
  const status = document.createElement('span')
  status.setAttribute('role', 'status')
  status.className = 'note'
  const addButton = (label: string, press: () => void) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = label
    button.addEventListener('click', press)
    buttons.appendChild(button)
  }
  const copy = async () => {
    status.textContent = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Copying is blocked: select the text',
    )
    setTimeout(() => (status.textContent = ''), 3_000)
  }
  if (navigator.clipboard) addButton('Copy', () => void copy())
  if (file !== undefined) addButton('Download', () => download(file, text))
  block.insertBefore(buttons, block.firstChild)
  block.appendChild(status)
}

function download(name: string, text: string): void {
  const link = document.createElement('a')
  link.download = name
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.click()
  URL.revokeObjectURL(link.href)
}

// Browsers do not autofocus a field if the address has a fragment, as after a call
addEventListener('load', () => document.querySelector<HTMLElement>('[autofocus]')?.focus())

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  setTimeout(() => setRunning(form, true))
})

function setRunning(form: HTMLFormElement, isRunning: boolean): void {
  for (const button of form.querySelectorAll('button')) button.disabled = isRunning && !button.matches('[data-cancel]')
  const progress = form.querySelector<HTMLElement>('[data-progress]')
  if (progress) progress.hidden = !isRunning
}

// The browser's history restores forms with their buttons still disabled
addEventListener('pageshow', (event) => {
  if (event.persisted) for (const form of document.forms) setRunning(form, false)
})

// Catalog filters apply immediately
for (const form of document.querySelectorAll<HTMLFormElement>('search form')) {
  form.addEventListener('change', ({ target }) => {
    const isText = target instanceof HTMLInputElement && target.type !== 'checkbox'
    if (!isText) form.requestSubmit()
  })
}

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

enhance(document)
setInterval(() => document.querySelectorAll<HTMLTimeElement>('[data-format=ago]').forEach(localizeTime), MINUTE_MS)
