import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson } from './oauth/http-person.ts'
import { type Connected, connectTo, startWorld, varsOf, type World } from './oauth/switchboard.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

const CALLS = 5
/** When the server is killed: so many milliseconds after a refresh arrived, was answered, or a call was made with what came of it. */
const MOMENTS = [
  ['asked', 0],
  ['asked', 40],
  ['answered', 0],
  ['answered', 3],
  ['answered', 10],
  ['called', 0],
  ['called', 20],
] as const
/** As long as the provider takes, so that all calls wait for one refresh. */
const TOKEN_DELAY_MS = 60

let world: World
let persistTo: string
let variables: readonly string[]
let edge: Connected<ServerProcess>
beforeAll(async () => {
  world = await startWorld()
  world.provider.rotate = true
  persistTo = await mkdtemp(join(tmpdir(), 'switchboard-refresh-'))
  variables = Object.entries(varsOf(world)).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  edge = await start()
})
afterAll(async () => {
  await edge?.server.stop({ keep: true })
  await world?.close()
  await rm(persistTo, { recursive: true, force: true })
})

async function start(): Promise<Connected<ServerProcess>> {
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder(), ...variables]
  return connectTo(world, await startProcess(command, persistTo))
}

const get = (user: string) => edge.call('Mail.GetEmails', user)
const given = (account: string) => ({ status: 200, body: { result: { success: true, value: { account } } } })

async function consent(user: string): Promise<void> {
  const { url } = await edge.challenge('Mail.GetEmails', user)
  const ended = await new HttpPerson().consent(url, user)
  expect(ended.url, ended.text).toContain('/oauth/callback')
  expect(await get(user)).toMatchObject(given(user))
}

/** Makes calls whose token no longer holds, and kills the server at a moment. */
async function callAndKill(user: string, stage: 'asked' | 'answered' | 'called', delayMs: number): Promise<void> {
  const { provider, api } = world
  const [refreshed, called] = [provider.refreshTokens.length, api.requests.length]
  const moment = Promise.withResolvers<void>()
  let isAsked = false
  provider.onTokenRequest = () => (isAsked = true)
  const reached = {
    asked: () => isAsked,
    answered: () => provider.refreshTokens.length > refreshed,
    called: () => api.requests.slice(called).some(({ account }) => account === user),
  }
  const look = setInterval(() => {
    if (!reached[stage]()) return
    clearInterval(look)
    setTimeout(moment.resolve, delayMs)
  }, 1)
  provider.endAccessTokens(user)
  const calls = Array.from({ length: CALLS }, () => get(user).catch(() => undefined))
  await moment.promise
  await edge.server.stop({ signal: 'SIGKILL', keep: true })
  await Promise.all(calls)
}

it('a server killed during a token refresh has the new token, or asks the person again with the reason', async () => {
  const { provider, api } = world
  provider.tokenDelayMs = TOKEN_DELAY_MS
  const outcomes = { kept: 0, asked: 0 }
  for (const [at, [stage, delayMs]] of MOMENTS.entries()) {
    const user = `user-${at}`
    await consent(user)
    const [refreshed, called] = [provider.refreshTokens.length, api.requests.length]
    await callAndKill(user, stage, delayMs)
    // The provider goes on with what it was asked
    await expect.poll(() => provider.refreshTokens.length - refreshed).toBeGreaterThan(0)
    const before = provider.refreshTokens.slice(refreshed)
    expect(before, 'one refresh for all calls').toHaveLength(1)
    const wasUsed = api.requests.slice(called).some(({ account }) => account === user)

    edge = await start()
    provider.endAccessTokens(user)
    const again = await get(user)
    const after = provider.refreshTokens.slice(refreshed + 1)
    expect(new Set(after).size, 'no token twice').toBe(after.length)
    if (again.status === 200) {
      expect(again).toMatchObject(given(user))
      expect(after).not.toContain(before[0])
      outcomes.kept += 1
    } else {
      // What was rotated never reached storage, and no call was made with it
      expect(wasUsed, JSON.stringify(again.body)).toBe(false)
      expect(again, JSON.stringify(again.body)).toMatchObject({
        status: 400,
        body: {
          missing_requirements: { authorization: [{ id: 'mail', url: expect.stringContaining(edge.server.url) }] },
        },
      })
      expect(again.body.developer_message).toMatch(/'mail' refused .* what the user granted .* is no longer accepted/)
      outcomes.asked += 1
      await consent(user)
    }
  }
  // Each has been met, or the moments would be the wrong ones
  expect(Math.min(...Object.values(outcomes)), JSON.stringify(outcomes)).toBeGreaterThan(0)
}, 300_000)
