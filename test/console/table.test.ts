import { expect, it } from 'vitest'
import { type Column, Table } from '../../src/console/table.tsx'

interface Thing {
  readonly name: string
  readonly size?: number
}

const COLUMNS: readonly Column<Thing>[] = [
  { title: 'Name', isName: true, isLong: true, cell: ({ name }) => name },
  { title: 'Size', cell: ({ size }) => size },
  { title: 'Do', isAction: true, cell: () => 'Open' },
]

it('a table has a label in each cell for narrow screens, and leaves cells without a value empty', async () => {
  const items = [{ name: '<a>', size: 1 }, { name: 'b' }]
  const more = { href: '/x?cursor=1', label: 'More' }
  const text = String(await Table({ label: 'Things', columns: COLUMNS, items, nextPage: more }))
  expect(text).toContain('aria-label="Things" tabindex="0"')
  expect(text.match(/<th scope="col">/g)).toHaveLength(3)
  expect(text).toContain(
    '<th scope="row" data-label="Name" class="long">&lt;a&gt;</th><td data-label="Size">1</td><td>Open</td>',
  )
  expect(text).toContain('<td data-label="Size"></td>')
  expect(text).toContain('rel="next" href="/x?cursor=1">More</a>')
  expect(String(await Table({ label: 'Things', columns: COLUMNS, items }))).not.toContain('rel="next"')
})
