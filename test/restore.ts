import { afterAll, vi } from 'vitest'

// Files share a process: the next one must not find this one's clock, globals or environment
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
