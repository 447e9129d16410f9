import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createVault } from '../../../src/storage/vault/vaults.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A vault whose Durable Object answers each method after `ms`. */
function vaultAnsweringAfter(ms: number) {
  const answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return { id: 'a', status: 'completed' }
  }
  const namespace: any = { idFromString: (id: string) => id, get: () => ({ find: answer, waitForChange: answer }) }
  return createVault({
    grantHolders: { note: async () => 0, forget: async () => undefined },
    writeAuditEvent: () => undefined,
    namespace,
    providers: { find: async () => undefined },
    clientVariablesFor: () => undefined,
    canStoreGrants: () => true,
    canBeApproved: () => true,
  })
}

it('waits longer than for other answers of a vault for a person who decides after a minute', async () => {
  const vault = vaultAnsweringAfter(62_000)
  const id = 'a'.repeat(64)
  const finding = expect(vault.find(id)).rejects.toThrow('Switchboard cannot reach its vaults right now')
  const changed = expect(vault.waitForChange(id, 'pending', 59_000)).resolves.toMatchObject({ status: 'completed' })
  await vi.advanceTimersByTimeAsync(62_000)
  await Promise.all([finding, changed])
})
