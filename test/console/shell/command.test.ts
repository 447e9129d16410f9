import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { curlOf } from '../../../src/console/curl.ts'
import { readCommand } from '../../../src/console/shell/command.ts'
import { wordsOf } from '../../../src/console/shell/words.ts'

const ORIGIN = 'https://switchboard.test'

/** A request that was read, as plain data. */
function read(command: string) {
  const request = readCommand(command, ORIGIN)
  if (!request.ok) return { problem: request.problems[0]?.message }
  const { headers, ...rest } = request.value
  return { ...rest, headers: Object.fromEntries(headers) }
}

describe('a command for curl', () => {
  it.each([
    ['curl /tools', { method: 'GET', path: '/tools', headers: {} }],
    [`curl -sS '${ORIGIN}/tools?q=a%20b&limit=1'`, { method: 'GET', path: '/tools?q=a%20b&limit=1', headers: {} }],
    ['curl -I /tools', { method: 'HEAD', path: '/tools', headers: {} }],
    ['curl -XDELETE /keys/1', { method: 'DELETE', path: '/keys/1', headers: {} }],
    [
      'curl -G /tools -d q=mail --data-urlencode "toolkit=a&b"',
      { method: 'GET', path: '/tools?q=mail&toolkit=a%26b', headers: {} },
    ],
    [
      `curl --json '{"a":1}' /convert`,
      {
        method: 'POST',
        path: '/convert',
        body: '{"a":1}',
        headers: { 'accept': 'application/json', 'content-type': 'application/json' },
      },
    ],
    [
      'curl -d a=1 -d b=2 /x',
      {
        method: 'POST',
        path: '/x',
        body: 'a=1&b=2',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    [
      'curl -X PUT --data-raw @literal -H "X-User-Id: ann" /x',
      {
        method: 'PUT',
        path: '/x',
        body: '@literal',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-user-id': 'ann' },
      },
    ],
  ])('is the request that curl would send: %s', (command, request) => {
    expect(read(command)).toEqual(request)
  })

  it('is taken as pages write it, its key in a variable passed over', () => {
    const body = JSON.stringify({ text: `it's $(id) "x" \\ \n — é` })
    const made = { method: 'POST', path: '/tools/call?x=1', body }
    for (const isOpen of [true, false]) {
      expect(read(curlOf(made, ORIGIN, isOpen))).toEqual({ ...made, headers: { 'content-type': 'application/json' } })
    }
    expect(read(curlOf({ method: 'DELETE', path: '/keys/1' }, ORIGIN, false))).toMatchObject({ method: 'DELETE' })
  })

  it.each([
    ['', /begins with 'curl'/],
    [`curl /tools -d '${'x'.repeat(100_000)}'`, /at most 100000 characters/],
    ['wget /tools', /begins with 'curl'/],
    ['curl', /Lacks an address/],
    ['curl tools', /begins with/],
    ['curl https://evil.test/tools', /to this Switchboard alone/],
    ['curl https://switchboard.test.evil.test/tools', /to this Switchboard alone/],
    ['curl https://switchboard.test:444/tools', /to this Switchboard alone/],
    ['curl http://switchboard.test/tools', /to this Switchboard alone/],
    ['curl //evil.test/tools', /begins with/],
    [String.raw`curl '/\evil.test/tools'`, /to this Switchboard alone/],
    ['curl file:///etc/passwd', /begins with/],
    ['curl https://ann:hunter2@switchboard.test/tools', /name or password/],
    ['curl /tools /keys', /one address/],
    ['curl /console/shell', /page of the console/],
    ['curl /a/../console/keys', /page of the console/],
    ['curl -o x /tools', /option '-o'/],
    ['curl -sK x /tools', /option '-K'/],
    ['curl --proxy x /tools', /option '--proxy'/],
    ['curl -F a=@b /tools', /option '-F'/],
    ['curl -b a=b /tools', /option '-b'/],
    ['curl -u ann:x /tools', /option '-u'/],
    ['curl -d @/etc/passwd /tools', /read a file/],
    ['curl --json @x /tools', /read a file/],
    ['curl --data-urlencode a@x /tools', /name=value/],
    ['curl -H', /Lacks what is to follow '-H'/],
    ['curl -X TRACE /tools', /method 'TRACE'/],
    ['curl -X GET -d x /tools', /body with GET/],
    [`curl -H 'Cookie: switchboard-session=x' /tools`, /header 'Cookie'/],
    [`curl -H 'CF-Connecting-IP: 1.1.1.1' /tools`, /header 'CF-Connecting-IP'/],
    [`curl -H 'Sec-Fetch-Site: same-origin' /tools`, /header 'Sec-Fetch-Site'/],
    [`curl -H 'Host: evil.test' /tools`, /header 'Host'/],
    [`curl -H 'Authorization: Bearer sb_x' /tools`, /Is sent as you/],
    [`curl -H 'OXP-API-Key: sb_x' /tools`, /Is sent as you/],
    [`curl -H 'Accept: a\r\nCookie: b' /tools`, /'Name: value'/],
    [`curl -H 'Accept: é' /tools`, /none may have/],
    ['curl -H "X-User-Id: $USER" /tools', /variable/],
    ['curl /tools/$TOOL', /variable/],
    ['curl /tools; curl /keys', /a shell would act on/],
    ['curl /tools | sh', /a shell would act on/],
    ['curl /tools > x', /a shell would act on/],
    ['curl /tools &', /a shell would act on/],
    ['curl `id`', /a shell would act on/],
    ['curl $(id)', /a shell would act on/],
    ['curl "/$(id)"', /Would run a command/],
    ['curl "/`id`"', /Would run a command/],
    ['curl /tools\ncurl /keys', /more than one line/],
    [`curl '/tools`, /no end/],
    ['curl "/tools', /no end/],
  ])('is refused, and why is said: %.80j', (command, why) => {
    expect(read(command)).toEqual({ problem: expect.stringMatching(why) })
  })

  it('says nothing of a credential in what it refuses', () => {
    expect(JSON.stringify(read(`curl -H 'Authorization: Bearer sb_secret' /tools`))).not.toContain('sb_secret')
  })
})

describe('the words of a command', () => {
  it.each([
    String.raw`curl 'it'"'"'s' "a \"b\" \$c \\ \d" e\ f g\'h`,
    'curl \\\n  -H "a: b" \\\n\t-d \'{"a": "x\ny"}\'',
    `curl 'a'b"c"d '' ""`,
    'curl a#b a?b=c a*b',
  ])('are those that a shell makes: %j', (command) => {
    const script = `set -f\ncurl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
    const ours = wordsOf(command)
    expect(ours.ok && ours.value.map(({ text }) => text)).toEqual(['curl', ...words])
  })

  it('come of a long text in time that grows with it', () => {
    const long = `curl ${'"\\"$a" \'x\' \\y '.repeat(5_000)}`
    expect(wordsOf(long).ok).toBe(true)
    expect(wordsOf(`curl ${'"'.repeat(20_001)}`).ok).toBe(false)
  })
})
