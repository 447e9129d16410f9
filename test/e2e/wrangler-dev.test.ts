import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Connected, startWorld, type World } from './oauth/switchboard.ts'
import { recordedTools, wranglerDev } from './wrangler-dev.ts'

let world: World
let edge: Connected
beforeAll(async () => {
  world = await startWorld()
  edge = await wranglerDev(world)
}, 240_000)
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))

it('npx wrangler dev asks a user for consent and approval, and records their calls', async () => {
  expect(await edge.challenge('Mail.GetEmails', 'ann')).toMatchObject({ id: 'mail' })
  expect(await edge.challenge('mailbox.empty', 'ann', { folder: 'spam' })).toMatchObject({ id: 'approval' })
  expect(await recordedTools(edge, 2)).toEqual(['mailbox.empty@1.0.0', 'Mail.GetEmails@1.0.0'])
  expect(edge.server.printed()).not.toContain('records-lost')
})

it('npx wrangler dev counts tokens with the vocabulary in the assets', async () => {
  const { status, body } = await edge.ask('GET', '/toolkits?tokens=Mail')
  expect(status).toBe(200)
  expect(body.items).toContainEqual(expect.objectContaining({ toolkit: 'Mail', tokens: expect.any(Number) }))
})

it('npx wrangler dev does not rebuild while nothing changed, even if another build runs', async () => {
  await promisify(execFile)('npm', ['run', '--silent', 'build'])
  // As long as Wrangler takes to notice a changed file and to say so
  await setTimeout(2_000)
  expect(edge.server.printed().match(/Running: npm run build/g)).toHaveLength(1)
  expect(edge.server.printed()).not.toContain('restarting build')
  expect((await edge.ask('GET', '/health')).status).toBe(200)
})
