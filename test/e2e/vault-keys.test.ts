import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson } from './oauth/http-person.ts'
import { filesUnder, leaked } from './oauth/leaks.ts'
import { type Connected, connectTo, startWorld, varsOf, vaultKey, type World } from './oauth/switchboard.ts'
import { startServer } from './server.ts'

const OLD = vaultKey()
const NEW = vaultKey()

let world: World
let edge: Connected | undefined
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  await edge?.server.stop()
  await world?.close()
})

/** Deploys again with these keys, on the state as it is. */
async function deployWith(keys: string): Promise<Connected> {
  const persistTo = edge?.server.persistTo
  await edge?.server.stop({ keep: true })
  const options = { vars: { ...varsOf(world), VAULT_KEYS: keys } }
  edge = await connectTo(world, await startServer(persistTo === undefined ? options : { ...options, persistTo }))
  return edge
}

async function consent(user: string, account: string): Promise<void> {
  const { url } = await edge!.challenge('Mail.GetEmails', user)
  const ended = await new HttpPerson().consent(url, account)
  expect(ended.url, ended.text).toContain('/oauth/callback')
}

const get = (user: string) => edge!.call('Mail.GetEmails', user)
const succeeded = (account: string) => ({ status: 200, body: { result: { success: true, value: { account } } } })

it('VAULT_KEYS rotate without downtime: old, then new with old, which re-encrypts grants on use, then only new', async () => {
  await deployWith(OLD)
  await consent('moved', 'ann')
  await consent('unmoved', 'bob')
  expect(await get('moved')).toMatchObject(succeeded('ann'))

  await deployWith(`${NEW},${OLD}`)
  expect(await get('moved')).toMatchObject(succeeded('ann'))
  await consent('fresh', 'cleo')
  const refreshed = world.provider.tokenRequests['refresh_token'] ?? 0

  await deployWith(NEW)
  expect(await get('moved')).toMatchObject(succeeded('ann'))
  expect(await get('fresh')).toMatchObject(succeeded('cleo'))
  // It was the grant itself that moved: nothing was asked of the provider
  expect(world.provider.tokenRequests['refresh_token'] ?? 0).toBe(refreshed)

  // What only the old key opens fails clearly, and is mended by consent or by the old key
  const lost = await get('unmoved')
  expect(lost.status, JSON.stringify(lost.body)).toBe(400)
  expect(lost.body.missing_requirements.authorization).toMatchObject([{ id: 'mail', url: expect.any(String) }])
  expect(lost.body.developer_message).toContain('cannot be read any more: the user has to grant it again')
  // Only an operator can put a key back
  expect(JSON.stringify(lost.body)).not.toContain('VAULT_KEYS')
  await consent('unmoved', 'bob')
  expect(await get('unmoved')).toMatchObject(succeeded('bob'))

  const secrets = [OLD, NEW, world.provider.clientSecret, ...world.provider.issued.map(({ token }) => token)]
  await edge!.server.stop({ keep: true })
  const files = filesUnder(edge!.server.persistTo)
  expect(files.some(({ bytes }) => bytes.includes('What Mail.GetEmails does'))).toBe(true)
  for (const { path, bytes } of files) expect(leaked(bytes, secrets), path).toEqual([])
})

it('a task that waits for input and can no longer be decrypted ends when it is read, and no longer counts', async () => {
  const start = (keys: string, persistTo = {}) => startServer({ vars: { VAULT_KEYS: keys }, ...persistTo })
  const SOON = { timeout: 30_000, interval: 200 }
  let server = await start(OLD)
  try {
    const call = { tool_id: 'Fixture.NameThenTask', input: {} }
    const begin = (call_id?: string) =>
      server.json('POST', '/tools/call', { ...call, call_id }, { prefer: 'respond-async' })
    const begun = await Promise.all([begin('repeated'), ...Array.from({ length: 99 }, () => begin())])
    for (const { status, body } of begun) {
      expect(status, JSON.stringify(body)).toBe(202)
      const read = async () => (await server.json('GET', `/calls/${body.call_id}`)).body
      await expect.poll(read, SOON).toMatchObject({ status: 'input_required' })
    }
    expect((await begin()).status).toBe(429)
    await server.stop({ keep: true })
    server = await start(NEW, { persistTo: server.persistTo })
    expect((await begin()).status).toBe(429)
    expect((await begin('repeated')).body.result).toMatchObject({ success: false, error: { message: /unknown/ } })
    // Only the record of its run is left
    expect((await server.json('GET', `/calls/${begun[0]?.body.call_id}`)).body).not.toHaveProperty('status')
    await expect.poll(async () => (await begin()).status, SOON).toBe(202)
    expect((await begin()).status).toBe(429)
  } finally {
    await server.stop()
  }
}, 120_000)
