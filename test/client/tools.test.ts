import { expect, it } from 'vitest'
import { createClient, Switchboard, SwitchboardError } from '../../src/client/index.ts'
import { clientOf, gave, json } from './answers.ts'

const named = (id: string) => ({ id })

it('a list is read page by page, on demand', async () => {
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

it('a list is read no further than requested', async () => {
  const { client, asked } = clientOf([json({ items: [named('A.A@1.0.0')], next_cursor: 'more' })])
  for await (const tool of client.tools()) {
    expect(tool.id).toBe('A.A@1.0.0')
    break
  }
  expect(asked).toHaveLength(1)
})

it('a search sends its query, and gives ten results with their totals', async () => {
  const page = { items: [named('A.A@1.0.0')], total: 12, unmatched: ['zyx'], next_cursor: 'c' }
  const { client, asked } = clientOf([json(page)])
  expect(await client.search('send a mail & zyx')).toEqual(page)
  expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toEqual({ limit: '10', q: 'send a mail & zyx' })
})

it('a tool is shown by any reference', async () => {
  const { client, asked } = clientOf([json(named('A.B@1.0.0'))])
  await client.show('A.B@^1/../keys?x')
  expect(asked[0]?.url.pathname).toBe('/tools/A.B%40%5E1%2F..%2Fkeys%3Fx')
  expect(asked[0]?.url.search).toBe('')
})

it.each([
  [{ parameters: { type: 'object' } }, { parameters: { type: 'object' } }],
  [{ type: 'object' }, { parameters: { type: 'object' } }],
])('the input schema of a tool has one form, however it was written: %j', async (given, input_schema) => {
  const { client } = clientOf([
    json({ id: 'A', input_schema: given }),
    json({ items: [{ id: 'A', input_schema: given }] }),
  ])
  expect(await client.show('A')).toEqual({ id: 'A', input_schema })
  expect((await client.list()).items).toEqual([{ id: 'A', input_schema }])
})

it('an invalid list is an invalid response', async () => {
  await expect(clientOf([json({})]).client.list()).rejects.toMatchObject({ code: 'answer_invalid' })
})

it('a client sends its key, and quotes it in no error', async () => {
  const { client, asked } = clientOf([json({ items: [] })], { key: 'sb_a-key' })
  await client.list()
  expect(asked[0]?.headers.get('authorization')).toBe('Bearer sb_a-key')
  expect(() => clientOf([], { key: 'sb_a-key\nx' })).toThrow(/^The key has characters that no key has$/)
})

it.each(['', 'localhost:8787', 'file:///etc/passwd', 'https://user:password@host.test', 'nowhere'])(
  'a client refuses the address %j',
  (url) => {
    const made = () => clientOf([], { url })
    expect(made).toThrow(SwitchboardError)
    expect(made).toThrow(/^Invalid address '[^']*': wanted one such as https:/)
  },
)

interface Tools {
  'Calculator.Add': { input: { a: number; b?: number }; output: number }
}

it('a typed client is the client itself, without a runtime cost', () => {
  expect(createClient<Tools>({ url: 'https://switchboard.test' })).toBeInstanceOf(Switchboard)
})

it('a typed client accepts only the named tools, with their inputs, and gives their outputs', async () => {
  const { client, asked } = clientOf([gave(3)])
  const typed: ReturnType<typeof createClient<Tools>> = client
  const { value } = await typed.call('Calculator.Add', { a: 1, b: 2 })
  expect(value.toFixed(1)).toBe('3.0')
  expect(asked[0]?.body.request).toMatchObject({ tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
  const wrong = [
    // @ts-expect-error A tool that is not among them
    () => typed.call('Calculator.Ad', { a: 1 }),
    // @ts-expect-error Another type
    () => typed.call('Calculator.Add', { a: '1' }),
    // @ts-expect-error A parameter that there is not
    () => typed.call('Calculator.Add', { a: 1, c: 2 }),
    // @ts-expect-error Another output
    async () => (await typed.call('Calculator.Add', { a: 1 })).value.trim(),
    async () => (await client.call<number>('Calculator.Add', { a: 1 })).value.toFixed(),
    // @ts-expect-error Nothing is known of it
    async () => (await client.call('Calculator.Add', { a: 1 })).value.toFixed(),
  ]
  expect(wrong).toHaveLength(6)
})
