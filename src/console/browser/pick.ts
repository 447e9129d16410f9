/** Filters the tools of an import, checks or unchecks those that are shown, and counts the checked ones. */

const filter = document.querySelector<HTMLElement>('[data-filter]')
const picker = document.querySelector<HTMLFormElement>('form.picker')
if (filter && picker) {
  const submitButton = picker.querySelector('button')
  const search = filter.querySelector('input')
  const kind = filter.querySelector('select')
  const groups = [...picker.querySelectorAll('fieldset')].map((group) => ({
    group,
    box: group.querySelector('input'),
    rows: [...group.querySelectorAll('li')],
    title: group.querySelector('label')?.textContent?.toLowerCase() ?? '',
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
  filter.addEventListener('input', () => {
    const [text, shownRows] = [search?.value.toLowerCase() ?? '', kind?.value ?? '*']
    const words = text.split(/\s+/)
    for (const { group, rows, title } of groups) {
      for (const row of rows) {
        const rowText = `${title} ${row.textContent?.toLowerCase()}`
        row.hidden = !row.matches(shownRows) || !words.every((word) => rowText.includes(word))
      }
      group.hidden = rows.every((row) => row.hidden)
      for (const details of group.querySelectorAll('details')) details.open = text !== '' || shownRows !== '*'
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
