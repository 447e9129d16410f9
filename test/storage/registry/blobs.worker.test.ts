import { describe, expect, it } from 'vitest'
import { inRegistry, stopClock } from './set-up.ts'

stopClock()

describe('bytes', () => {
  it('are stored by their hash, whatever their size, and published once', async () => {
    await inRegistry(async ({ registry, kv, drain, restart }) => {
      const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => (index * 7) % 256).buffer
      await registry.putBlob('a-hash', bytes)
      expect(await registry.value('blob/a-hash')).toEqual(bytes)
      await drain()
      expect(kv.blobs.get('blob/a-hash')).toEqual(bytes)
      await restart().putBlob('a-hash', bytes)
      await drain()
      expect(kv.keys('blob/')).toEqual(['blob/a-hash'])
      expect(await restart().value('blob/a-hash')).toEqual(bytes)
      expect(await registry.value('blob/another')).toBeUndefined()
    })
  })
})
