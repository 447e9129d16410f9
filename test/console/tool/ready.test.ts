import { expect, it } from 'vitest'
import { setUp } from '../set-up.ts'

const TOOL = {
  name: 'Mail_Send',
  description: 'שולח',
  input_schema: { type: 'object' },
  output_schema: null,
  document: {},
  losses: [],
}

async function pageOf(status: object): Promise<string> {
  const { get } = setUp({
    'GET /tools/Mail.Send': () => TOOL,
    'GET /tools/Mail.Send/readiness': () => ({ tool: 'Mail.Send@1.0.0', ready: true, status, problems: [] }),
    'GET /tools/Mail.Send/versions': () => ({ items: [] }),
  })
  return (await (await get('/console/tools/Mail.Send')).text()).replaceAll(/\s+/g, ' ')
}

it('the page of a version that is not active says so first, and links to its successor', async () => {
  const text = await pageOf({ state: 'deprecated', message: 'Use <that>', successor: 'Mail.Post@2.0.0' })
  expect(text).toContain('This version is deprecated: Use &lt;that&gt;. Its successor is')
  expect(text).toContain('href="/console/tools/Mail.Post%402.0.0"')
  expect(text.indexOf('This version is')).toBeLessThan(text.indexOf('id="answer"'))
})

it('the page of a pending version links reviewers to the review', async () => {
  const text = await pageOf({ state: 'pending' })
  expect(text).toMatch(/once it is <a href="\/console\/versions">approved/)
  expect(text).toMatch(/action="\/console\/versions">\s*<input type="hidden" name="id" value="=?Mail.Send@1.0.0"/)
  expect(text).toContain('name="to" value="active"')
})

it('the page of an active version shows no such note', async () => {
  const text = await pageOf({ state: 'active' })
  expect(text).not.toContain('This version is')
  // Texts run as their letters do
  expect(text).toMatch(/<div class="said" dir="auto"><p>\s*שולח/)
})
