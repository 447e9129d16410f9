import { describe, expect, it } from 'vitest'
import { SwitchboardError } from '../../src/client/index.ts'
import { clientOf, json } from './answers.ts'

const named = (id: string) => ({ id })

describe('a list', () => {
  it('is read page by page, as it is wanted', async () => {
    const { client, asked } = clientOf([
      json({ items: [named('A.A@1.0.0'), named('A.B@1.0.0')], next_cursor: 'a/b+c' }),
      json({ items: [], next_cursor: 'second' }),
      json({ items: [named('A.C@1.0.0')] }),
    ])
    const seen: string[] = []
    for await (const { id } of client.tools({ toolkit: 'A', tag: 'x y', limit: 2 })) {
      if (seen.push(id) === 1) expect(asked).toHaveLength(1)
    }
    expect(seen).toEqual(['A.A@1.0.0', 'A.B@1.0.0', 'A.C@1.0.0'])
    expect(asked.map(({ url }) => url.search)).toEqual([
      '?toolkit=A&tag=x+y&limit=2',
      '?toolkit=A&tag=x+y&limit=2&cursor=a%2Fb%2Bc',
      '?toolkit=A&tag=x+y&limit=2&cursor=second',
    ])
  })

  it('is read no further than it is wanted', async () => {
    const { client, asked } = clientOf([json({ items: [named('A.A@1.0.0')], next_cursor: 'more' })])
    for await (const tool of client.tools()) {
      expect(tool.id).toBe('A.A@1.0.0')
      break
    }
    expect(asked).toHaveLength(1)
  })
})

it('a search has its question, ten answers, and what it says of them', async () => {
  const page = { items: [named('A.A@1.0.0')], total: 12, unmatched: ['zyx'], next_cursor: 'c' }
  const { client, asked } = clientOf([json(page)])
  expect(await client.search('send a mail & zyx')).toEqual(page)
  expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toEqual({ limit: '10', q: 'send a mail & zyx' })
})

it('a tool is shown by whatever it is called', async () => {
  const { client, asked } = clientOf([json(named('A.B@1.0.0'))])
  await client.show('A.B@^1/../keys?x')
  expect(asked[0]?.url.pathname).toBe('/tools/A.B%40%5E1%2F..%2Fkeys%3Fx')
  expect(asked[0]?.url.search).toBe('')
})

it.each([
  [{ parameters: { type: 'object' } }, { parameters: { type: 'object' } }],
  [{ type: 'object' }, { parameters: { type: 'object' } }],
])('what a tool takes is in one place, however that was written: %j', async (given, input_schema) => {
  const { client } = clientOf([
    json({ id: 'A', input_schema: given }),
    json({ items: [{ id: 'A', input_schema: given }] }),
  ])
  expect(await client.show('A')).toEqual({ id: 'A', input_schema })
  expect((await client.list()).items).toEqual([{ id: 'A', input_schema }])
})

it('a list that is none is no answer', async () => {
  await expect(clientOf([json({})]).client.list()).rejects.toMatchObject({ code: 'answer_invalid' })
})

describe('a client', () => {
  it('sends its key, and says it in no error', async () => {
    const { client, asked } = clientOf([json({ items: [] })], { key: 'sb_a-key' })
    await client.list()
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer sb_a-key')
    expect(() => clientOf([], { key: 'sb_a-key\nx' })).toThrow(/^The key has characters that no key has$/)
  })

  it.each(['', 'localhost:8787', 'file:///etc/passwd', 'https://user:password@host.test', 'nowhere'])(
    'is of no address such as %j',
    (url) => {
      const made = () => clientOf([], { url })
      expect(made).toThrow(SwitchboardError)
      expect(made).toThrow(/^The address is none: wanted one such as https:/)
    },
  )
})
