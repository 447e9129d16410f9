import { afterAll, vi } from 'vitest'

// Test files share a process: the next must not see this one's clock, globals or environment
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
