import { reset } from 'cloudflare:test'
import { beforeAll } from 'vitest'

// Files share a workerd: the next one must not find what this one stored
beforeAll(() => reset())
