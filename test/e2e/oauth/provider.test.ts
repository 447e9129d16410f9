import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { answerProvider, launchBrowser, NO_BROWSER, person } from './browser.ts'
import { HttpPerson } from './http-person.ts'
import { type MailApi, startMailApi } from './mail-api.ts'
import { CLIENT_ID, startProvider, type TestProvider } from './provider.ts'

const REDIRECT = 'http://127.0.0.1:9/oauth/callback'

let provider: TestProvider
let api: MailApi
let browser: Browser | undefined
beforeAll(async () => {
  provider = await startProvider()
  provider.allowRedirectTo(REDIRECT)
  provider.pauseBeforeReturn = true
  api = await startMailApi(provider)
})
afterAll(() => Promise.all([browser?.close(), provider?.close(), api?.close()]))

/** The request that a client sends a browser with, and what it keeps to redeem the code. */
function request(more: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'offline_access mail.read',
    prompt: 'consent',
    state: 'a state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }
  return { verifier, url: `${provider.issuer}/auth?${new URLSearchParams(parameters)}` }
}

async function token(form: Record<string, string>) {
  const authorization = `Basic ${btoa(`${CLIENT_ID}:${provider.clientSecret}`)}`
  const body = new URLSearchParams({ redirect_uri: REDIRECT, ...form })
  const response = await fetch(`${provider.issuer}/token`, { method: 'POST', headers: { authorization }, body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const emails = async (bearer: string) =>
  (await fetch(`${api.origin}/emails`, { headers: { authorization: `Bearer ${bearer}` } })).status

/** The callback's parameters, from the page that leads back. */
const callbackOf = (text: string) =>
  new URL(/href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? '').searchParams

async function tokensOf(account: string) {
  const { url, verifier } = request()
  const who = new HttpPerson()
  const done = await who.answerProvider(await who.open(url), account)
  const code = callbackOf(done.text).get('code') ?? ''
  return (await token({ grant_type: 'authorization_code', code, code_verifier: verifier })).body
}

it.skipIf(NO_BROWSER !== '')(
  `the test provider gives a person in Chromium a code that can be exchanged for a token ${NO_BROWSER}`,
  async () => {
    browser = await launchBrowser()
    const who = await person(browser, { javaScript: false })
    const { url, verifier } = request()
    await who.page.goto(url)
    await answerProvider(who, 'ann')
    const link = await who.page.getByRole('link', { name: 'Back to the app' }).getAttribute('href')
    const callback = new URL(link ?? '')
    expect(Object.fromEntries(callback.searchParams)).toMatchObject({ state: 'a state', iss: provider.issuer })
    const code = callback.searchParams.get('code') ?? ''
    const { body } = await token({ grant_type: 'authorization_code', code, code_verifier: verifier })
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'offline_access mail.read', expires_in: 3_600 })
    expect(await provider.whose(body.access_token)).toMatchObject({ account: 'ann' })
    expect(await emails(body.access_token)).toBe(200)
  },
)

it('the test provider refuses a request without PKCE, and redirects a person who denies', async () => {
  const plain = new URL(request().url)
  plain.searchParams.delete('code_challenge')
  plain.searchParams.delete('code_challenge_method')
  const refused = await new HttpPerson().open(plain.href)
  expect(callbackOf(refused.text).get('error')).toBe('invalid_request')
  const who = new HttpPerson()
  const denied = await who.answerProvider(await who.open(request().url), 'ann', 'Deny')
  expect(callbackOf(denied.text).get('error')).toBe('access_denied')
})

it('the test provider refreshes tokens; with rotation, a second use of a refresh token ends the grant', async () => {
  const { refresh_token } = await tokensOf('bob')
  const again = await token({ grant_type: 'refresh_token', refresh_token })
  expect(again.body.refresh_token).toBe(refresh_token)
  provider.rotate = true
  const rotated = await token({ grant_type: 'refresh_token', refresh_token })
  expect(rotated.body.refresh_token).not.toBe(refresh_token)
  expect(await emails(rotated.body.access_token)).toBe(200)
  const reused = await token({ grant_type: 'refresh_token', refresh_token })
  expect(reused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await emails(rotated.body.access_token)).toBe(401)
  provider.rotate = false
  expect(provider.tokenRequests).toMatchObject({ refresh_token: 3 })
})

it('the test provider can expire access tokens, and end grants with their tokens', async () => {
  const { access_token, refresh_token } = await tokensOf('cleo')
  provider.endAccessTokens('cleo')
  expect(await emails(access_token)).toBe(401)
  const fresh = await token({ grant_type: 'refresh_token', refresh_token })
  expect(await emails(fresh.body.access_token)).toBe(200)
  provider.endGrants('cleo')
  expect(await emails(fresh.body.access_token)).toBe(401)
  expect(await token({ grant_type: 'refresh_token', refresh_token })).toMatchObject({ status: 400 })
})

it('the test provider fails on request, and recovers', async () => {
  const ask = (signal?: AbortSignal) => fetch(`${provider.issuer}/token`, { method: 'POST', ...(signal && { signal }) })
  await provider.fail('down')
  await expect(ask()).rejects.toThrow('fetch failed')
  await provider.fail('nonsense')
  expect(await (await ask()).text()).toContain('<h1>')
  await provider.fail('error')
  expect((await ask()).status).toBe(500)
  await provider.fail('slow')
  await expect(ask(AbortSignal.timeout(300))).rejects.toThrow('timeout')
  await provider.fail('none')
  expect((await ask()).status).toBe(400)
})
