import { SignJWT } from 'jose'
import { expect } from 'vitest'
import { readRange } from '../../src/http/response/stored-file.ts'
import { formatToolId, parseToolId } from '../../src/core/tool/tool-id.ts'
import { formatToolRef, parseToolRef } from '../../src/core/tool/tool-ref.ts'
import { isVersionRange, resolveVersion } from '../../src/core/tool/version.ts'
import { readForm, readJson } from '../../src/http/request/body.ts'
import { NO_MEMORY } from '../../src/http/request/request-memory.ts'
import { BROWSER_COOKIE, readCookie } from '../../src/http/caller/cookie.ts'
import { readJsonText } from '../../src/http/request/body.ts'
import { createJwtVerifier } from '../../src/http/caller/jwt.ts'
import { pathSegment } from '../../src/http/request/path-segment.ts'
import { createUrlTextCheck } from '../../src/outbound/allowed-url.ts'
import { ModuleError } from '../../src/runners/wasm/fuel/bytes.ts'
import { meteredInSteps } from '../runners/wasm/fuel/metered.ts'
import { checkHeader } from '../../src/runners/wasm/fuel/sections.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import { decodeCursor, encodeCursor } from '../../src/storage/registry/kv/cursor.ts'
import { createStateSeal } from '../../src/storage/sealing/state-seal.ts'
import { describing } from '../plugins/describing.ts'
import { moduleOf, program } from '../runners/wasm/fuel/program.ts'
import { assemble } from '../plugins/compile.ts'
import { bytes, texts } from './mutations.ts'
import { expectWords, isUnderstood, row, type Row } from './row.ts'
import { readState } from '../../src/dialects/mcp/revisions/2026-07-28/request-state.ts'

import fc from 'fast-check'

const SECRET = 'a secret of at least 32 bytes, no less'
const utf8 = (text: string) => new TextEncoder().encode(text)
const JSON_TEXTS = [
  '{"tool_id": "Calculator.Add", "input": {"a": 10.5e-3, "b": [true, false, null, "\\u00e9\\ud83d\\udca9"]}}',
  ' [1, -0, 1e308, {"": {"a": []}}] ',
  '"a text\\n\\"quoted\\""',
]
const jwts = await Promise.all(
  [{ sub: 'ann' }, { sub: 'ann', scope: 'admin', tools: ['Gmail.*'] }].map((claims) =>
    new SignJWT({ ...claims, exp: 4_000_000_000 }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(utf8(SECRET)),
  ),
)
const verifier = createJwtVerifier({ secret: SECRET })
const keyring = createKeyring(['of the tests'], 'cursor')
const seal = createStateSeal({ sealer: createKeyring(['of the tests'], 'state'), now: () => 0 })
const sealed = await Promise.all(
  ['{"asked":["a"],"state":{"n":1},"responses":{}}', '{}'].map((text) => seal.seal(text, 'u')),
)
const states = sealed.flatMap((each) => (each.ok ? [each.value] : []))
const rings = await Promise.all(['a', 'ü🛠'].map((text) => keyring.seal(text, 'u')))
const modules = [
  describing('{"tools":[]}'),
  ...fc.sample(program, { numRuns: 4, seed: 3 }).map((statements) => assemble(moduleOf([statements]))),
]
const RANGES = ['bytes=0-99', 'bytes=-5', 'bytes=100-', 'BYTES= 1-2 ', 'bytes=0-1,3-4']

/** Creates a request with a body of these bytes. */
const posted = (body: Uint8Array<ArrayBuffer>, type: string) =>
  new Request('https://switchboard.test/', { method: 'POST', body, headers: { 'content-type': type } })

export const rawTexts: readonly Row[] = [
  row('a text that should be JSON', texts(JSON_TEXTS), async (text) => {
    const read = await readJsonText(text)
    if (!isUnderstood(read, 'request-malformed')) return false
    expect(read).toEqual({ ok: true, value: JSON.parse(text) })
    return true
  }),
  row('bytes that should be JSON', bytes(JSON_TEXTS.map(utf8)), async (body) =>
    isUnderstood(
      await readJson(posted(body, 'application/json'), { limit: 100_000, memory: NO_MEMORY }),
      'request-malformed',
      'body-too-large',
    ),
  ),
  row(
    'bytes that should be a form',
    bytes([utf8('decision=approve&account=work%20one&x=%F0%9F%92%A9')]),
    async (body) => {
      const read = await readForm(posted(body, 'application/x-www-form-urlencoded'), { limit: 64, memory: NO_MEMORY })
      return isUnderstood(read, 'body-too-large')
    },
  ),
  row(
    'a content type',
    texts(['application/json; charset=utf-8', 'application/problem+json;charset="UTF-8"']),
    async (type) => {
      const headers = headerOf('content-type', type)
      if (!headers) return false
      const request = new Request('https://switchboard.test/', { method: 'POST', body: utf8('1'), headers })
      return isUnderstood(await readJson(request, { limit: 10, memory: NO_MEMORY }), 'media-type-unsupported')
    },
  ),
  row('a JWT', texts(jwts), async (token) => isUnderstood(await verifier.verify(token), 'unauthenticated')),
  row(
    'a cookie',
    texts([`switchboard-browser=${'a'.repeat(43)}; other=1`, `x=y;switchboard-browser=${'B'.repeat(43)}`]),
    (cookie) => {
      const headers = headerOf('cookie', cookie)
      if (!headers) return false
      const browser = readCookie(new Request('http://switchboard.test/', { headers }), BROWSER_COOKIE)
      if (browser !== undefined) expect(browser).toMatch(/^[\w-]{43}$/)
      return browser !== undefined
    },
  ),
  row('a range', texts(RANGES), (text) => {
    const part = readRange(text, 1_000)
    if (part === undefined || part === 'unsatisfiable') return false
    expect(part.length).toBeGreaterThan(0)
    expect(part.offset).toBeGreaterThanOrEqual(0)
    expect(part.offset + part.length).toBeLessThanOrEqual(1_000)
    return true
  }),
  row('a cursor', texts([encodeCursor('gmail.getemails'), encodeCursor('{"q":"a","at":3}')]), (text) => {
    const place = decodeCursor(text)
    if (place !== undefined) expect(decodeCursor(encodeCursor(place))).toBe(place)
    return place !== undefined
  }),
  row('a sealed text', texts(rings), async (text) => {
    const opened = await keyring.unseal(text, 'u')
    // Base64url has unused bits, so different texts may be equal
    if (opened) expect(['a', 'ü🛠']).toContain(opened.text)
    return opened !== undefined
  }),
  row('what a client gives back', texts(states), async (requestState) => {
    const read = await readState(
      { kind: 'call', name: 'n', input: {}, wantsLogs: false, requestState },
      () => 'u',
      seal,
    )
    return isUnderstood(read) && (!read.ok || read.value !== undefined)
  }),
  row(
    "a tool's id",
    texts(['Kit.Tool@1.2.3', 'Kit.Tool', 'Kit.Tool@^1.2 || >=3.0.0-beta <4', 'Kit.Tool@latest']),
    (text) => {
      const asked = parseToolId(text)
      expect(formatToolRef(parseToolRef(text))).toBe(text)
      if (!asked) return false
      const { range } = asked
      expect(parseToolId(formatToolId(asked, range))).toEqual(asked)
      if (range !== undefined && isVersionRange(range))
        resolveVersion([{ version: '1.2.3', status: { state: 'active' } }], range)
      return true
    },
  ),
  row('a path', texts(['/tools/Kit.Tool%40%5E1.2', '/authorizations/%F0%9F%92%A9/start']), (path) => {
    const url = URL.parse(path, 'http://switchboard.test')
    return url !== null && isUnderstood(pathSegment(url.href, 2), 'request-malformed')
  }),
  row(
    'a URL that a tool is to reach',
    texts(['https://api.example.com/v1?x=1', 'http://127.0.0.1:8080/', 'https://[2001:db8::1]/']),
    (url) => {
      const why = createUrlTextCheck(new Set(['127.0.0.1:8080']))(url)
      if (why !== undefined) expectWords(why)
      return why === undefined
    },
  ),
  row('a wasm module', bytes(modules), (module) => {
    try {
      checkHeader(module)
      if (!WebAssembly.validate(module)) return false
      const metered = meteredInSteps(module, { fuel: 1_000, maxPages: 16 })
      expect(WebAssembly.validate(metered.bytes)).toBe(true)
      return true
    } catch (error) {
      if (!(error instanceof ModuleError)) throw error
      expectWords(error.message)
      return false
    }
  }),
  row('a wasm module that nobody validated', bytes(modules), (module) => {
    try {
      meteredInSteps(module, { fuel: 1_000, maxPages: 16 })
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(ModuleError)
      return false
    }
  }),
]

/** Returns undefined if the value is not a valid HTTP header. */
function headerOf(name: string, value: string): Headers | undefined {
  try {
    return new Headers({ [name]: value })
  } catch {
    return undefined
  }
}
