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
// Filters the tools of an import, checks or unchecks those that are shown, and counts the checked ones
const filter = document.querySelector<HTMLElement>('[data-filter]')
const picker = document.querySelector<HTMLFormElement>('form.picker')
if (filter && picker) {
  const submitButton = picker.querySelector('button')
  const search = filter.querySelector('input')
  const groups = [...picker.querySelectorAll('fieldset')].map((group) => ({
    group,
    box: group.querySelector('input'),
    rows: [...group.querySelectorAll('li')],
    text: group.querySelector('label')?.textContent?.toLowerCase() ?? '',
  }))
  const isChosen = (row: HTMLElement) => row.querySelector('input')?.checked
  const checkRows = (rows: readonly HTMLElement[], isChecked: boolean) => {
    for (const row of rows) for (const input of row.querySelectorAll('input')) input.checked = isChecked
  }
  const showCount = () => {
    const count = groups.reduce((sum, { box, rows }) => sum + (box?.checked ? rows.filter(isChosen).length : 0), 0)
    if (submitButton)
      submitButton.textContent = `Import ${count.toLocaleString('en')} ${count === 1 ? 'tool' : 'tools'}`
  }
  filter.hidden = false
  search?.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const { group, rows, text } of groups) {
      for (const row of rows) {
        const rowText = `${text} ${row.textContent?.toLowerCase()}`
        row.hidden = !words.every((word) => rowText.includes(word))
      }
      group.hidden = rows.every((row) => row.hidden)
      for (const details of group.querySelectorAll('details')) details.open = search.value !== ''
    }
  })
  for (const button of filter.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      const isChecked = button.value === '1'
      for (const { box, rows } of groups) {
        const shownRows = rows.filter((row) => !row.hidden)
        if (shownRows.length === 0) continue
        if (box && isChecked && !box.checked) {
          checkRows(rows, false)
          box.checked = true
        }
        checkRows(shownRows, isChecked)
      }
      showCount()
    })
  }
  picker.addEventListener('change', showCount)
  showCount()
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

// Filters of the catalog apply at once
for (const form of document.querySelectorAll<HTMLFormElement>('search form')) {
  form.addEventListener('change', () => form.requestSubmit())
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
