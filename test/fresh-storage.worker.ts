import { reset } from 'cloudflare:test'
import { beforeAll } from 'vitest'

// Test files share a workerd: the next must not see what this one stored
beforeAll(() => reset())
