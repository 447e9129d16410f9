import { afterAll, beforeAll, expect, it } from 'vitest'
import { Response } from 'miniflare'
import { type RunningServer, startApp } from './server.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { CLIENT_ID, GMAIL, startProvider, type TestProvider } from './oauth/provider.ts'
import { ADMIN_KEY, vaultKey } from './oauth/switchboard.ts'

let provider: TestProvider
let edge: RunningServer
/** Whose token each request to Gmail was made with, as far as the token holds. */
const asked: (string | undefined)[] = []

beforeAll(async () => {
  provider = await startProvider()
  edge = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      VAULT_KEYS: vaultKey(),
      ALLOW_HTTP_HOSTS: provider.host,
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_CLIENT_SECRET: provider.clientSecret,
    },
    async outbound(request) {
      const url = new URL(request.url)
      if (url.hostname === 'gmail.googleapis.com') {
        const owner = await provider.whose(request.headers.get('authorization')?.replace('Bearer ', '') ?? '')
        asked.push(owner?.account)
        if (!owner?.scopes.includes(GMAIL)) return Response.json({ error: { code: 401 } }, { status: 401 })
        return Response.json({ messages: [] })
      }
      const { method, headers } = request
      const body = method === 'POST' ? await request.text() : undefined
      const answer = await fetch(url, {
        method,
        headers: [...headers],
        redirect: 'manual',
        ...(body !== undefined && { body }),
      })
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers: [...answer.headers] })
    },
  })
  provider.allowRedirectTo(new URL('/oauth/callback', edge.url).href)
  // Google, but for where it is
  const put = await ask('PUT', '/providers/google', {
    name: 'Google',
    issuer: provider.issuer,
    client_id: CLIENT_ID,
    client_secret_name: 'GOOGLE_CLIENT_SECRET',
    extra_scopes: ['offline_access'],
  })
  expect(put.status, JSON.stringify(put.body)).toBe(201)
})
afterAll(() => Promise.all([edge?.stop(), provider?.close()]))

async function ask(method: string, path: string, body: unknown) {
  const response = await fetch(new URL(path, edge.url), {
    method,
    headers: { 'authorization': `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const getEmails = (user_id: string) =>
  ask('POST', '/tools/call', { tool_id: 'Gmail.GetEmails', input: { query: 'is:unread' }, context: { user_id } })

it('a tool that acts for a user at Google asks for consent, then reads mail, and refreshes a token that Gmail refuses once', async () => {
  const challenged = await getEmails('ann')
  expect(challenged).toMatchObject({
    status: 400,
    body: { missing_requirements: { authorization: [{ id: 'google', url: expect.stringContaining('/start') }] } },
  })
  const who = new HttpPerson()
  const { url } = challenged.body.missing_requirements.authorization[0]
  const page = await who.open(url)
  expect(page.text).toContain(GMAIL)
  await who.answerProvider(await who.press(page, /continue to google/i), 'ann')
  const read = { status: 200, body: { result: { success: true, value: { emails: [] } } } }
  expect(await getEmails('ann')).toMatchObject(read)

  provider.endAccessTokens('ann')
  expect(await getEmails('ann')).toMatchObject(read)
  expect(asked).toEqual(['ann', undefined, 'ann'])
  expect(provider.tokenRequests).toEqual({ authorization_code: 1, refresh_token: 1 })

  provider.endGrants('ann')
  const again = await getEmails('ann')
  expect(again.body.missing_requirements.authorization).toMatchObject([{ id: 'google' }])
  expect(again.body.developer_message).toMatch(/revoked/i)
})
