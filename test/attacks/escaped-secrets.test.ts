import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { neverSilent, startWatched } from './watch.ts'
import { definition } from '../e2e/definition.ts'

const SECRETS: Readonly<Record<string, string>> = {
  LONG_KEY: 'q83vL0f5KvN+7xI0/Zt9uPQ2wErT6yU8==',
  SHORT_KEY: 'pa+s/w0=rd',
  WIDE_KEY: 'pä5/wört+ключ9',
}

const codes = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
/** Replaces all characters except letters, digits and spaces, as most encoders do. */
const signs = (text: string, write: (code: number) => string) =>
  text.replaceAll(/[^\w ]/g, (sign) => codes(sign).map(write).join(''))
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const base64 = (text: string) => Buffer.from(text).toString('base64')
const percent = (text: string) => encodeURIComponent(text)
const unicode = (text: string) => signs(text, (code) => `\\u${hex(code, 4)}`)
const entities = (text: string) => signs(text, (code) => `&#${code};`)

const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as System.Text.Json escapes it': (secret) => signs(secret, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  'as Gson escapes it': (secret) => signs(secret, (code) => (code === 0x3d ? '\\u003d' : String.fromCharCode(code))),
  'as HTML': entities,
  'without padding': (secret) => secret.replace(/=+$/, ''),
  'with spaces for plus signs': (secret) => secret.replaceAll('+', ' '),

  'as HTML in hexadecimal digits': (secret) => signs(secret, (code) => `&#X${hex(code, 2).toUpperCase()};`),
  'as HTML by names': (secret) => secret.replaceAll('+', '&plus;').replaceAll('/', '&sol;').replaceAll('=', '&equals;'),
  'as HTML of HTML': (secret) => entities(secret).replaceAll('&', '&amp;'),
  'as HTML in JSON, as Gson writes it': (secret) => entities(secret).replaceAll('&', '\\u0026'),
  'as HTML in an address': (secret) => percent(entities(secret)),
  'as part of an address, twice': (secret) => percent(percent(secret)),
  'as part of an address, in small letters': (secret) =>
    percent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a form': (secret) => String(new URLSearchParams({ a: secret })),
  'in JSON in JSON in JSON': (secret) => json(json(json(unicode(secret)))),
  'every character escaped': (secret) =>
    codes(secret)
      .map((code) => `\\u${hex(code, 4)}`)
      .join(''),
  'every character an entity': (secret) => [...secret].map((sign) => `&#${sign.codePointAt(0)};`).join(''),
  'every byte in percent': (secret) => Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&'),
  'every byte as Python writes it': (secret) => Buffer.from(secret).toString('hex').replaceAll(/../g, '\\x$&'),
  'split by tags': (secret) => secret.replaceAll(/.{3}/gs, '$&<wbr class="x">'),
  'split by tags in JSON': (secret) => json(secret).replaceAll(/\w{3}/g, '$&\\u003cb\\u003e'),
  'behind what could begin an escape': (secret) => `%${secret} \\u00${secret} &#${secret} <${secret}`,
  'in Base64': base64,
  'in Base64 amid JSON': (secret) => base64(JSON.stringify({ user: 'ann', key: secret, at: 1 })),
  'in Base64 for addresses': (secret) => Buffer.from(`ann:${secret}`).toString('base64url'),
  'in Base64 that is escaped': (secret) => percent(base64(`ab:${secret}`)),
  'in a list of headers': (secret) =>
    JSON.stringify([['x-key', secret], { name: 'authorization', value: `Bearer ${secret}` }]),
  'in JSON in JSON': (secret) => JSON.stringify({ error: JSON.stringify({ detail: unicode(secret) }) }),
  'in an address': (secret) => `https://ann:${percent(secret)}@api.example/?access_token=${percent(secret)}#${secret}`,
  'in a stack trace': (secret) => `Error: no key ${secret}\n    at check (/srv/key.js:1:2) [as ${json(secret)}]`,
}
/** Only for secrets with many letters, because otherwise ordinary words would also be redacted. */
const SPLITTING: typeof SPELLINGS = {
  'in wrapped lines': (secret) => secret.replaceAll(/.{10}/gs, '$&\r\n    '),
  'in groups': (secret) => secret.replaceAll(/\w{4}/g, '$&-'),
  'in characters': (secret) => JSON.stringify([...secret]),
  'in Base64 of short lines': (secret) => base64(`key: ${secret}`).replaceAll(/.{20}/g, '$&\r\n'),
  'as Base64 for addresses, though it is not': (secret) =>
    secret.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
}

let upstream: Upstream
let server: RunningServer
beforeAll(async () => {
  upstream = await startUpstream(({ url, headers }, response) => {
    const { searchParams } = new URL(url, 'http://upstream')
    const as = searchParams.get('as') ?? ''
    const spell = SPELLINGS[as] ?? SPLITTING[as] ?? ((secret: string) => `${as} ${secret}`)
    const said = `no: ${spell(searchParams.get('key') ?? '')} !`
    const status = Number(searchParams.get('status'))
    const body = searchParams.get('wrap') === 'json' ? JSON.stringify({ error: said, list: [{ said }] }) : said
    const isPacked = String(headers['accept-encoding'] ?? '').includes('gzip')
    response.writeHead(status, {
      'content-type': 'text/plain',
      'x-said': encodeURI(said),
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    })
    response.end(isPacked ? gzipSync(body) : body)
  })
  server = await startWatched({
    vars: {
      ALLOW_HTTP_HOSTS: upstream.host,
      TOOL_SECRETS: JSON.stringify(Object.fromEntries(Object.keys(SECRETS).map((name) => [name, ['Echo.*']]))),
      ...SECRETS,
    },
  })
  for (const secret of Object.keys(SECRETS)) {
    const credentials = [{ secret, in: 'query', name: 'key' }]
    const parameters = ['as', 'status', 'wrap'].map((name) => ({ input: name, in: 'query', name }))
    const http = { kind: 'http', method: 'GET', url: `${upstream.origin}/`, parameters, credentials }
    await publish(`Text.${secret}`, secret, { ...http, response: { type: 'text' } })
    await publish(`Json.${secret}`, secret, { ...http, response: { type: 'json' } })
    const error = { message: '/error', developer_message: '/list/0/said' }
    await publish(`Named.${secret}`, secret, { ...http, response: { type: 'json', error } })
    await publish(`Code.${secret}`, secret, {
      kind: 'code',
      allowed_hosts: [upstream.host],
      credentials,
      module: `export default async (input, { log, progress }) => {
        const answer = await fetch('${upstream.origin}/?' + new URLSearchParams(input))
        const text = await answer.text()
        log(text)
        progress?.(1, 2, text)
        if (!answer.ok) throw new Error(text + JSON.stringify([...answer.headers]))
        return text
      }`,
    })
  }
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))
afterAll(neverSilent)

async function publish(name: string, secret: string, implementation: object): Promise<void> {
  const [tool, key] = name.split('.')
  const { status, body } = await server.json('POST', '/tools', {
    definition: definition(`Echo.${tool}${key}@1.0.0`, {
      input_schema: { parameters: { type: 'object', properties: { as: {}, status: {}, wrap: {} } } },
      requirements: { secrets: [{ id: secret }] },
    }),
    implementation,
  })
  expect(status, JSON.stringify(body)).toBe(201)
}

async function learned(tool: string, secret: string, input: object): Promise<string> {
  const { status, body } = await server.json('POST', '/tools/call', { tool_id: `Echo.${tool}${secret}`, input })
  expect(status, JSON.stringify(body)).toBe(200)
  return JSON.stringify(body.result)
}

/** Whether a text reveals a secret, comparing only letters and digits. */
function isTold(secret: string, text: string): boolean {
  const letters = (of: string) => of.replaceAll(/[^\p{L}\p{N}]/gu, '')
  const [sought, said] = [
    letters(secret),
    letters(text.replaceAll(/\\+u00[0-9a-f]{2}|\\+[nrt]|%[0-9a-f]{2}|&#\d+;|<[^<>]*>/gi, '')),
  ]
  return Array.from({ length: sought.length - 7 }, (_, at) => sought.slice(at, at + 8)).some((part) =>
    said.includes(part),
  )
}

describe.each(Object.entries(SECRETS))('%s', (name, secret) => {
  const spellings = { ...SPELLINGS, ...(name.startsWith('LONG') ? SPLITTING : {}) }
  it.each(Object.entries(spellings))(`${name} is in no response %s`, async (as, spell) => {
    for (const tool of ['Text', 'Json', 'Named', 'Code']) {
      for (const status of ['200', '401']) {
        const wrap = tool === 'Json' || tool === 'Named' ? 'json' : ''
        const text = await learned(tool, name, { as, status, wrap })
        const spelled = spell(secret)
        expect(isTold(secret, text), `${tool} ${status}: ${text}`).toBe(false)
        for (const each of [spelled, json(spelled)]) expect(text, `${tool} ${status}`).not.toContain(each)
        const isQuoted = status === '200' || tool === 'Named' || tool === 'Code'
        expect(text.includes('[redacted]'), `${tool} ${status}: ${text}`).toBe(isQuoted)
        expect(text.includes('!'), text).toBe(isQuoted)
      }
    }
    expect(isTold(secret, server.printed())).toBe(false)
  })
})

it("no part of a secret is shown where a module's message is truncated", async () => {
  const [name, secret = ''] = ['LONG_KEY', SECRETS['LONG_KEY']]
  // The module gets the secret from its caller, not from a response
  for (const length of [995, 1_980, 985, 1_990]) {
    await publish(`Cut${length}.${name}`, name, {
      kind: 'code',
      module: `export default ({ as }, { log }) => { const text = 'x'.repeat(${length}) + as; log(text); throw new Error(text) }`,
    })
    const text = await learned(`Cut${length}`, name, { as: secret })
    expect(text).toContain('xxx')
    for (const each of [text, server.printed()]) expect(each).not.toContain(secret.slice(0, 5))
  }
})

it('redaction leaves ordinary words next to a secret unchanged', async () => {
  const ordinary =
    'Rock &amp; roll, 100% "sure" \\o/ \\u00e9 <b class="k">KEY</b>: the pass word, pa s w0 rd, q83v L0f5 KvN &#43; ключ 9, 2026-11-23'
  for (const name of Object.keys(SECRETS)) {
    const text = await learned('Text', name, { as: ordinary, status: '200' })
    expect(JSON.parse(text).value).toBe(`no: ${ordinary} [redacted] !`)
  }
})
