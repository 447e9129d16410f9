import { expect, it } from 'vitest'
import { setUp } from '../set-up.ts'

const PAGE = '/console/import'
const IMPORT = 'POST /toolkits/import'
const MADE = { tools: [{ id: 'Pets.list@1.0.0', state: 'new' }], skipped: [] }
const FIELDS = {
  'do': 'look',
  'kind': 'openapi',
  'source': 'https://pets.test/openapi.json',
  'input/toolkit': 'Pets',
  'input/version': '',
  'input/tools': 'list*\nget',
  'input/security_level': '5',
  'input/approval': '1',
  'input/options': '{"base_url": "https://pets.test", "toolkit": "Other"}',
  'input/allow_breaking': '1',
}

it('the page of imports says what an import would make, with all that its form says, and sends the same when it is made', async () => {
  const { post, asked } = setUp({ [IMPORT]: () => MADE })
  const text = await (await post(PAGE, FIELDS)).text()
  const body = {
    from: { openapi: 'https://pets.test/openapi.json' },
    toolkit: 'Pets',
    tools: ['list*', 'get'],
    security_level: 5,
    approval: true,
    base_url: 'https://pets.test',
  }
  expect(asked[0]?.request.url).toBe('https://switchboard.test/toolkits/import?dry_run=1&allow=breaking')
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual(body)
  const hidden = [...text.matchAll(/<input type="hidden" name="([\w/]+)" value="([^"]*)"/g)].filter(
    ([, name]) => name !== 'do',
  )
  const sent = Object.fromEntries(
    hidden.map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
    ]),
  )
  expect(sent).toEqual(Object.fromEntries(Object.entries(FIELDS).filter(([name]) => name !== 'do')))
  await post(PAGE, { ...sent, do: 'import' })
  expect(asked[1]?.request.url).toBe('https://switchboard.test/toolkits/import?allow=breaking')
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual(body)
})

it.each(['{', '[]', '"x"', '[['.repeat(100_000)])(
  'the page of imports asks for nothing where its options are no object: %.20s',
  async (options) => {
    const { post, asked } = setUp({ [IMPORT]: () => MADE })
    const page = await post(PAGE, { ...FIELDS, 'input/options': options })
    expect([page.status, asked]).toEqual([400, []])
    const text = await page.text()
    expect(text).toMatch(/Must be (?:a )?JSON|nests deeper/)
    expect(text).toContain('list*&#10;get</textarea>')
  },
)

it('the page of imports says once what many tools are warned of, before and after', async () => {
  const warnings = [
    { message: 'It cannot run', tools: 1_039, ids: ['Pets.list@1.0.0', 'Pets.get@1.0.0'] },
    { message: 'Its body is left out', tools: 1, ids: ['Pets.get@1.0.0'] },
  ]
  for (const answer of [MADE, { skipped: [], ids: ['Pets.list@1.0.0'] }]) {
    const { post } = setUp({ [IMPORT]: () => ({ ...answer, warnings }) })
    const text = await (await post(PAGE, FIELDS)).text()
    expect(text).toContain('Warnings (2)')
    expect(text).toContain('It cannot run (1039 tools, such as Pets.list@1.0.0, Pets.get@1.0.0)')
    expect(text).toContain('Its body is left out (Pets.get@1.0.0)')
  }
  expect(await (await setUp({ [IMPORT]: () => MADE }).post(PAGE, FIELDS)).text()).not.toContain('Warnings')
})

it('the page of imports says which of those that were made wait for review', async () => {
  const made = { skipped: [], ids: ['Pets.list@1.0.0', 'Pets.get@1.0.0'], pending: ['Pets.get@1.0.0'] }
  const text = await (await setUp({ [IMPORT]: () => made }).post(PAGE, { ...FIELDS, do: 'import' })).text()
  expect(text).toContain('1 of them waits for')
  expect(text).toContain('href="/console/versions"')
  const none = await setUp({ [IMPORT]: () => ({ ...made, pending: undefined }) }).post(PAGE, {
    ...FIELDS,
    do: 'import',
  })
  expect(await none.text()).not.toContain('/console/versions">review')
})
