import { describe, expect, it } from 'vitest'
import { isAllowedOrigin } from '../../../src/dialects/mcp/origin.ts'

const from = (origin: string, url: string) => isAllowedOrigin(origin, url, new Set())

describe('the header Origin', () => {
  it.each([
    ['https://tools.example/mcp', 'https://tools.example'],
    // TLS may end before the deployment
    ['http://tools.example/mcp', 'https://tools.example'],
    ['http://localhost:8787/mcp', 'http://localhost:8787'],
    ['http://localhost:8787/mcp', 'http://localhost:5173'],
    ['http://127.0.0.1:8787/mcp', 'http://localhost:5173'],
    ['http://[::1]:8787/mcp', 'https://127.0.0.1'],
  ])('allows a request to %s from the origin %s', (url, origin) => {
    expect(from(origin, url)).toBe(true)
  })

  it.each([
    ['https://tools.example/mcp', 'http://localhost:5173'],
    ['https://tools.example/mcp', 'http://127.0.0.1'],
    ['https://tools.example/mcp', 'https://other.example'],
    ['https://tools.example/mcp', 'https://tools.example:8443'],
    ['https://tools.example/mcp', 'https://a.tools.example'],
    ['https://tools.example/mcp', 'null'],
    ['https://tools.example/mcp', ''],
    ['http://localhost:8787/mcp', 'https://tools.example'],
    ['http://localhost:8787/mcp', 'http://localhost.evil.example'],
    ['http://localhost:8787/mcp', 'null'],
  ])('refuses a request to %s from the origin %s', (url, origin) => {
    expect(from(origin, url)).toBe(false)
  })
})
