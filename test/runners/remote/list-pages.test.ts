import { expect, it } from 'vitest'
import { readPages } from '../../../src/runners/remote/list-pages.ts'

/** How many pages were read of a server whose pages name these cursors as the next. */
async function read(nextOf: (page: number) => string | undefined, tools = 1) {
  let pages = 0
  const listed = await readPages('tools.test', async () => {
    pages += 1
    return { tools: Array<string>(tools).fill('a tool'), next: nextOf(pages) }
  })
  return { listed: listed.ok ? listed.tools.length : listed.problem, pages }
}

it('the tool list of another server is read to its last page', async () => {
  expect(await read((page) => (page < 100 ? `${page}` : undefined))).toEqual({ listed: 100, pages: 100 })
})

it('the tool list of another server is refused at the first repeated cursor', async () => {
  const problem = 'tools.test lists its tools in a circle: it gave a cursor twice'
  expect(await read((page) => ['a', 'b', 'a'][page - 1])).toEqual({ listed: problem, pages: 3 })
})

it('the tool list of another server is refused after a hundred pages, or after five thousand tools', async () => {
  expect(await read((page) => `${page}`)).toEqual({
    listed: 'tools.test lists its tools on more than 100 pages',
    pages: 100,
  })
  expect(await read((page) => `${page}`, 2_000)).toEqual({
    listed: 'tools.test lists more than 5000 tools',
    pages: 3,
  })
})
