/** Makes the console quicker to use; without it, everything works. It is sent as text, so it imports nothing. */

for (const time of document.querySelectorAll('time')) {
  const at = new Date(time.dateTime)
  if (Number.isFinite(at.getTime()))
    time.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })
}

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
      status.textContent = 'Select the text and copy it: this browser did not let the page'
    }
    setTimeout(() => (status.textContent = ''), 3_000)
  })
  block.appendChild(button)
  block.appendChild(status)
}

for (const search of document.querySelectorAll<HTMLInputElement>('input[data-filter]')) {
  const items = document.querySelectorAll<HTMLElement>(`#${search.dataset['filter']} > li`)
  search.closest('[hidden]')?.removeAttribute('hidden')
  search.addEventListener('input', () => {
    const words = search.value.trim().toLowerCase()
    for (const item of items) item.hidden = !(item.textContent ?? '').toLowerCase().includes(words)
  })
  // It would press the first button of the form
  search.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault())
}
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-check]')) {
  button.addEventListener('click', (event) => {
    event.preventDefault()
    const boxes = `#${button.dataset['check']} > li:not([hidden]) input[type=checkbox]`
    for (const box of document.querySelectorAll<HTMLInputElement>(boxes)) box.checked = button.value === 'all'
  })
}

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', () => {
    setTimeout(() => {
      for (const button of form.querySelectorAll('button')) button.disabled = true
      const progress = form.querySelector<HTMLElement>('[data-progress]')
      if (progress) progress.hidden = false
    })
  })
}
// A call is made again once its visitor comes back from allowing or approving it
for (const link of document.querySelectorAll('a[data-again]')) {
  link.addEventListener('click', () => {
    addEventListener('focus', () => document.querySelector<HTMLFormElement>('form[data-call]')?.requestSubmit(), {
      once: true,
    })
  })
}
// Going back by the browser's history finds the form as it was
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  for (const button of document.querySelectorAll<HTMLButtonElement>('form button')) button.disabled = false
})

addEventListener('keydown', (event) => {
  // A page's own stands behind that of the sidebar, which a phone hides
  const search = [...document.querySelectorAll<HTMLInputElement>('input[type="search"]')].findLast((each) =>
    each.checkVisibility(),
  )
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || !search) return
  event.preventDefault()
  search.focus()
})
