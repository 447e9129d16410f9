import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { formatCurl } from '../../src/docs/curl.ts'

/** Splits a command into words as a shell does. */
function wordsOf(command: string): readonly string[] {
  const env = { ...process.env, SWITCHBOARD_KEY: 'sb_x' }
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

it('a curl command reads the key from the environment, and has none on a machine that needs none', () => {
  expect(wordsOf(formatCurl({ method: 'GET', path: '/tools?q=a' }, 'https://s.test', false))).toEqual([
    'https://s.test/tools?q=a',
    '-H',
    'Authorization: Bearer sb_x',
  ])
  expect(wordsOf(formatCurl({ method: 'DELETE', path: '/keys/1' }, 'https://s.test', true))).toEqual([
    '-X',
    'DELETE',
    'https://s.test/keys/1',
  ])
})

it.each(['it\'s $(id) `id` $HOME \\ " ! \n *', "'; rm -rf x #", "''", '-o/etc/passwd', 'é 日本 👍'])(
  'a curl command sends a body unchanged: %j',
  (text) => {
    const body = JSON.stringify({ text })
    const words = wordsOf(formatCurl({ method: 'POST', path: '/tools/call', body }, 'https://s.test', true))
    expect(words).toEqual(['https://s.test/tools/call', '-H', 'Content-Type: application/json', '-d', body])
  },
)

it('a curl command reads a body from a file if it is too long for a command', () => {
  const command = formatCurl({ method: 'POST', path: '/tools/call', body: 'x'.repeat(10_001) }, 'https://s.test', true)
  expect(wordsOf(command).slice(-2)).toEqual(['-d', '@body.json'])
})

it('a curl command requests the given content type, without buffering a stream', () => {
  const request = { method: 'POST', path: '/tools/call', body: '{}', accept: 'text/event-stream' }
  expect(wordsOf(formatCurl(request, 'https://s.test', true))).toEqual([
    'https://s.test/tools/call',
    '-N',
    '-H',
    'Accept: text/event-stream',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{}',
  ])
})

it('a curl command sends a file unchanged, with its type, and a credential from another variable', () => {
  const request = { method: 'PUT', path: '/x', body: '@a file', type: 'application/wasm' }
  expect(formatCurl(request, 'https://s.test', false, 'ACCESS_TOKEN')).toContain(
    '"Authorization: Bearer $ACCESS_TOKEN"',
  )
  expect(wordsOf(formatCurl(request, 'https://s.test', true)).slice(3)).toEqual([
    '-H',
    'Content-Type: application/wasm',
    '--data-binary',
    '@a file',
  ])
})

it('a curl command sends the revision that was changed', () => {
  const request = { method: 'DELETE', path: '/keys/1', ifMatch: '"r1"' }
  expect(wordsOf(formatCurl(request, 'https://s.test', true)).slice(3)).toEqual(['-H', 'If-Match: "r1"'])
})
