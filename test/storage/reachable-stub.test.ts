import { describe, expect, it } from 'vitest'
import { UnreachableError } from '../../src/core/failure/failure.ts'
import { createReliableStub } from '../../src/storage/reachable-stub.ts'

const failing = (message: string, of: object) =>
  createReliableStub(
    () => ({
      async value(): Promise<string> {
        throw Object.assign(new Error(message), of)
      },
    }),
    { what: 'registry', waitMs: 1_000 },
  )

describe('an object that fails', () => {
  it('because its tables have another version is unreachable, and the message says what to do', async () => {
    const message = 'Cannot open the storage of the Registry: its schema_version is 1, and this Switchboard reads 2'
    const asked = failing(message, { remote: true }).value()
    await expect(asked).rejects.toBeInstanceOf(UnreachableError)
    await expect(asked).rejects.toThrow(message)
  })

  it('by its own defect throws that error, and one that fails because of the platform is unreachable', async () => {
    await expect(failing('no such table', { remote: true }).value()).rejects.toThrow('no such table')
    const overloaded = failing('too many', { remote: true, overloaded: true }).value()
    await expect(overloaded).rejects.toThrow('Switchboard cannot reach its registry right now')
    await expect(overloaded).rejects.toBeInstanceOf(UnreachableError)
  })
})
