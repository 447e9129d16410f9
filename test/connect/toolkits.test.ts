import { expect, it } from 'vitest'
import { ASK, faceWith, listed } from './face.ts'

type Fields = Record<string, string>
type Tools = Parameters<typeof listed>[0]

const MAX_PAGE = 60_000
/** As long as names may be. */
const long = (name: string) => name.padEnd(64, 'x')
const spread = (tools: number, toolkits: number): Tools =>
  Array.from({ length: tools }, (_, n) => [`Kit${n % toolkits}`, `do_${n}`] as const)

/** Somebody's way through the list: each page's form is sent with one of its buttons, by hand or without a script. */
function visitorOf(tools: Tools) {
  const catalog = { ...listed(tools) }
  const { post, ask, agents } = faceWith({ catalog })
  let text = ''
  const seen = async (answer: Response | Promise<Response>) => {
    const response = await answer
    text = await response.text()
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PAGE)
    return { status: response.status, text }
  }
  const form = (): Fields =>
    Object.fromEntries(
      [...text.matchAll(/<input ([^>]*)>/g)].flatMap(([, attributes = '']) => {
        const isBox = attributes.includes('type="checkbox"')
        if (isBox && !attributes.includes('checked=')) return []
        const [, name = ''] = /name="([^"]*)"/.exec(attributes) ?? []
        return [[name, /value="([^"]*)"/.exec(attributes)?.[1] ?? 'on']]
      }),
    )
  return {
    agents,
    open: () => seen(ask()),
    /** Absent fields are as the page has them; a box is unticked by an empty text. */
    press: (decision: string, fields: Fields = {}) => {
      const sent = Object.entries({ days: '7', ...form(), ...fields, decision }).filter(
        ([name, value]) => value !== '' || !name.startsWith('toolkit.'),
      )
      return seen(post(ASK, Object.fromEntries(sent)))
    },
    catalog,
    boxes: () => [...text.matchAll(/name="toolkit\.([^"]+)"/g)].map(([, name]) => name),
    ticked: () => [...text.matchAll(/name="toolkit\.([^"]+)" value="1" checked/g)].map(([, name]) => name),
    count: () => /role="status">([^<]*)</.exec(text)?.[1]?.trim(),
  }
}

it.each([
  ['3,000 tools of as many toolkits', spread(3_000, 3_000)],
  ['3,000 tools of 150 toolkits', spread(3_000, 150)],
  ['3,000 tools of one toolkit, and another', [...spread(3_000, 1), ['Other', 'Do'] as const]],
  ['635 toolkits', spread(2_609, 635)],
  [
    'names as long as they may be',
    spread(3_000, 600).map(([toolkit, tool]) => [long(toolkit), long(tool), 8] as const),
  ],
])('the toolkits for an agent are offered on pages of at most 60 kB, with %s', async (_, tools) => {
  const { open, press, boxes } = visitorOf(tools)
  await open()
  const [first = ''] = boxes()
  await press(`open:${first}`)
  await press('find', { find: 'do' })
  await press(`open:${first}`)
  await press('find', { find: '' })
  await press('all')
  await press('page:2')
  await press('none')
  expect(boxes().length).toBeLessThanOrEqual(50)
})

it('the toolkits for an agent are selected across all pages, and allowed together', async () => {
  const { open, press, boxes, ticked, count, agents } = visitorOf(spread(2_609, 635))
  await open()
  expect([boxes().length, boxes()[0], count()]).toEqual([50, 'Kit0', '0 of 635 selected'])
  await press('page:13', { 'toolkit.Kit0': '1', 'toolkit.Kit49': '1' })
  expect([boxes().length, boxes()[0], ticked()]).toEqual([35, 'Kit600', []])
  await press('find', { 'toolkit.Kit634': '1', 'find': 'kit49' })
  expect([boxes(), ticked()]).toEqual([expect.arrayContaining(['Kit49', 'Kit490']), ['Kit49']])
  // Searching begins at the first page of what is found
  await press('find', { 'toolkit.Kit49': '', 'find': '', 'selected': 'on' })
  expect([boxes(), count()]).toEqual([['Kit0', 'Kit634'], '2 of 635 selected'])
  await press('allow')
  expect(agents.map(({ toolkits }) => toolkits)).toEqual([['Kit0', 'Kit634']])
})

it('the toolkits for an agent are selected and deselected within a search, which also finds names of tools', async () => {
  const { open, press, boxes, ticked, count, agents } = visitorOf([
    ['Mail', 'send_message'],
    ['Mail', 'read'],
    ['Chat', 'SendMessage'],
    ['Files', 'read'],
  ])
  await open()
  const { text } = await press('find', { find: ' MESSAGE send' })
  expect(boxes()).toEqual(['Mail', 'Chat'])
  expect(text.replaceAll(/<[^>]+>/g, ' ')).toMatch(/1 tool\s+SendMessage/)
  await press('all')
  await press('find', { find: 'mail read' })
  expect([boxes(), ticked()]).toEqual([['Mail'], ['Mail']])
  await press('none')
  await press('find', { find: 'nothing like it' })
  expect([boxes(), count()]).toEqual([[], '1 of 3 selected'])
  await press('allow')
  expect(agents.map(({ toolkits }) => toolkits)).toEqual([['Chat']])
})

it('the toolkits for an agent list their tools when opened, and keep the selection', async () => {
  const tools = Array.from({ length: 200 }, (_, n) => ['Big', `tool_${n}`] as const)
  const { open, press, ticked } = visitorOf([...tools, ['Other', 'Do']])
  const { text } = await open()
  expect(text).toContain('formaction="#tools-Big" aria-expanded="false" aria-label="200 tools of Big"')
  expect(text).not.toContain('tool_0')
  const opened = await press('open:Big', { 'toolkit.Other': '1' })
  expect(opened.text).toContain('tool_0, tool_1, ')
  expect(opened.text).toContain('tool_149 and 50 more')
  expect(ticked()).toEqual(['Other'])
  expect((await press('open:')).text).not.toContain('tool_0')
})

it('the toolkits for an agent must be confirmed again if they changed, so that nobody allows other ones than selected', async () => {
  const { open, press, catalog, count, agents } = visitorOf(spread(60, 60))
  await open()
  await press('page:2', { 'toolkit.Kit3': '1' })
  catalog.list = listed([['Another', 'Do'], ...spread(60, 60)]).list
  const { status, text } = await press('allow', { 'toolkit.Kit55': '1' })
  expect([status, agents, count()]).toEqual([400, [], '1 of 61 selected'])
  expect(text).toContain('role="alert">The list of toolkits has changed')
})

it.each(['page:0', 'page:-1', 'page:99', 'page:x', 'page:', 'page:1e9', 'open:Nothing', 'open:', 'find:x'])(
  "the toolkits for an agent are also shown for '%s'",
  async (decision) => {
    const { open, press, boxes, agents } = visitorOf(spread(60, 60))
    await open()
    const { status } = await press(decision)
    expect([status, agents]).toEqual([200, []])
    expect(boxes().length).toBeGreaterThan(0)
  },
)

it.each([`x.${'1'.repeat(60)}`, '1'.repeat(60), `.${'1'.repeat(60)}`])(
  'the toolkits for an agent are not selected by a field of another list: %s',
  async (others) => {
    const { open, press, agents } = visitorOf(spread(60, 60))
    await open()
    expect((await press('allow', { others })).status).toBe(400)
    expect(agents).toEqual([])
  },
)
