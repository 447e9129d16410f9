import { expect, it } from 'vitest'
import { describePolicy } from '../../../src/console/policies/page.tsx'
import { setUp } from '../set-up.ts'

const POLICY = {
  pattern: 'Mail.*',
  secrets: ['MAIL_KEY', 'OTHER'],
  security_level: 8,
  approval: true,
  timeout_ms: 1_500,
  limits: { rate: { calls: 5, seconds: 60 }, concurrency: 2 },
} as const
const FIELDS = {
  'do': 'set',
  'input/pattern': ' Mail.* ',
  'input/secrets': 'MAIL_KEY\r\nOTHER',
  'input/security_level': '8',
  'input/approval': '1',
  'input/timeout_ms': '1500',
  'input/limits/rate/calls': '5',
  'input/limits/rate/seconds': '60',
  'input/limits/concurrency': '2',
}
const PUT = 'PUT /policies/Mail.*'
const world = (more: Parameters<typeof setUp>[0] = {}) =>
  setUp({
    'GET /policies': () => ({ items: [POLICY] }),
    'GET /policies/Mail.*': () => POLICY,
    [PUT]: () => POLICY,
    ...more,
  })

it('the page of policies describes each policy in words', async () => {
  expect(describePolicy(POLICY)).toEqual([
    'minimum security level 8',
    'every call needs approval',
    'timeout 1.5 s',
    'rate limit 5 calls per 60 s of each tool, by all callers together',
    'concurrency 2 calls of each tool, by all callers together',
    'may use secrets MAIL_KEY, OTHER',
  ])
  expect(describePolicy({ pattern: '*', security_level: 1 })).toEqual(['minimum security level 1'])
  const text = await (await world().get('/console/policies')).text()
  for (const words of describePolicy(POLICY)) expect(text).toContain(words)
  expect(text).toContain('such as <code>Gmail.*</code>, <code>*.Delete*</code> or <code>*</code>')
})

it('the page of policies saves only what its form contains', async () => {
  const { post, asked } = world()
  const { status, headers } = await post('/console/policies', FIELDS)
  expect([status, headers.get('location')]).toEqual([302, '/console/policies?done=set'])
  const { pattern: _, ...said } = POLICY
  expect(asked.map(({ request }) => `${request.method} ${new URL(request.url).pathname}`)).toEqual([PUT])
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual(said)
  await post('/console/policies', {
    'do': 'set',
    'input/pattern': 'Mail.*',
    'input/security_level': '3',
    'input/limits/rate/calls': '',
  })
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ security_level: 3 })
})

it('the page of policies says if a saved policy covers no tool yet', async () => {
  const warnings = [{ path: '', message: 'No tool matches' }]
  const { post, get } = world({ [PUT]: () => ({ ...POLICY, warnings }) })
  const location = (await post('/console/policies', FIELDS)).headers.get('location') ?? ''
  expect(await (await get(location)).text()).toContain('Policy saved. No tool matches its pattern yet')
})

it('the page of policies requires a pattern, and keeps the entered values', async () => {
  const { post, asked } = world({})
  const page = await post('/console/policies', { ...FIELDS, 'input/pattern': ' ', 'input/timeout_ms': '70' })
  const text = await page.text()
  expect([page.status, asked.filter(({ request }) => request.method === 'PUT')]).toEqual([400, []])
  expect(text).toContain('Is required')
  expect(text).toContain('value="70"')
})

it('the page of policies leaves invalid numbers to the route, shows its message, and keeps the entered values', async () => {
  const problem = { path: '/timeout_ms', message: 'Must be a whole number' }
  const { post, asked } = world({
    [PUT]: () => Response.json({ message: 'Not valid', errors: [problem] }, { status: 422 }),
  })
  const page = await post('/console/policies', { ...FIELDS, 'input/timeout_ms': '<soon>' })
  const text = await page.text()
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ timeout_ms: '<soon>' })
  expect(page.status).toBe(422)
  expect(text).toContain('Must be a whole number')
  expect(text).toContain('value="&#60;soon&#62;"')
  expect(text).toMatch(/id="f-input\/timeout_ms"[^>]*aria-invalid="true"/)
})

it('the page of policies fills its form with the policy to edit', async () => {
  const text = await (await world().get('/console/policies?pattern=Mail.*')).text()
  expect(text).toContain('Edit policy for Mail.*')
  for (const value of ['Mail.*', '8', '1500', '60']) expect(text).toContain(`value="${value}"`)
  expect(text).toContain('MAIL_KEY&#10;OTHER</textarea>')
  expect(text).toMatch(/name="input\/approval"[^>]* checked/)
})

it('the page of policies removes a policy, and says if it did not exist', async () => {
  const { post } = world({ 'DELETE /policies/Mail.*': () => new Response(null, { status: 204 }) })
  const { headers } = await post('/console/policies', { 'do': 'remove', 'input/pattern': 'Mail.*' })
  expect(headers.get('location')).toBe('/console/policies?done=removed')
  const gone = await post('/console/policies', { 'do': 'remove', 'input/pattern': 'Other.*' })
  expect([gone.status, (await gone.text()).includes('There is nothing here')]).toEqual([404, true])
})

it('the page of policies is for administrators', async () => {
  const reader = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] } as const
  const { get, asked } = setUp({}, reader)
  expect((await get('/console/policies')).status).toBe(403)
  expect(asked).toEqual([])
})
