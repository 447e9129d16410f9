import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from '../../../src/core/tool/json.ts'
import { readForm as formWith, readJson as jsonWith, readJsonText } from '../../../src/http/request/body.ts'
import { NO_MEMORY } from '../../../src/http/request/request-memory.ts'

const LIMIT = 1_000

const memory = NO_MEMORY
const readJson = (request: Request, limit: number) => jsonWith(request, { limit, memory })
const readForm = (request: Request, limit: number) => formWith(request, { limit, memory })

function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  const length = typeof body === 'string' ? { 'content-length': String(new TextEncoder().encode(body).length) } : {}
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...length, ...headers } }
  return new Request('https://switchboard.test/', init)
}

/** A body without a length, in these chunks; `pulled` counts those that were read. */
function streamed(chunks: Uint8Array[]) {
  const state = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[state.pulled++]
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel() {
        state.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    duplex: 'half',
  }
  return { request: new Request('https://switchboard.test/', init), state }
}

const read = (text: string, headers?: Record<string, string>) => readJson(post(text, headers), 100_000)
const failureOf = async (text: string | Uint8Array<ArrayBuffer>) => {
  const result = await readJson(post(text), 100_000)
  return result.ok ? undefined : result.failure
}
const messageOf = async (text: string) => {
  const failure = await failureOf(text)
  return failure?.type === 'request-malformed' ? failure.message : failure
}

describe('the content type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; profile=x',
    'application/problem+json',
    'application/json; charset = utf-8',
    'application/json;',
    'application/vnd.oxp+json ; version=1',
  ])("accepts '%s'", async (type) => {
    expect(await read('1', { 'content-type': type })).toEqual({ ok: true, value: 1 })
  })

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/xjson',
    'application/+json',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=xutf-8',
    'application/json; charset=utf-8x',
    'x-application/json',
    'application/json; charset=utf-8; charset=utf-16',
    '',
  ])("rejects '%s'", async (type) => {
    expect(await read('1', { 'content-type': type })).toMatchObject({ failure: { type: 'media-type-unsupported' } })
  })

  it('rejects a body without a content type', async () => {
    const request = new Request('https://switchboard.test/', { method: 'POST', body: new TextEncoder().encode('1') })
    expect(await readJson(request, LIMIT)).toEqual({
      ok: false,
      failure: { type: 'media-type-unsupported', contentType: null, acceptedType: 'application/json' },
    })
  })

  // In a time that grew with the square of the length, either would take hours
  it('is read in linear time, whatever its length', async () => {
    const many = `application/json${'; '.repeat(1_000_000)}x`
    expect(await read('1', { 'content-type': many })).toEqual({ ok: true, value: 1 })
    for (const type of [`application/${'+'.repeat(2_000_000)}x`, `application/${'a'.repeat(2_000_000)}`]) {
      expect(await read('1', { 'content-type': type })).toMatchObject({ failure: { type: 'media-type-unsupported' } })
    }
  })
})

describe('the size', () => {
  it('is rejected by Content-Length before a byte is read', async () => {
    const { request, state } = streamed([new Uint8Array(10)])
    request.headers.set('content-length', String(LIMIT + 1))
    expect(await readJson(request, LIMIT)).toEqual({
      ok: false,
      failure: { type: 'body-too-large', limit: LIMIT, size: LIMIT + 1 },
    })
    expect(state.pulled).toBe(0)
  })

  it('is rejected if the body is longer than Content-Length', async () => {
    const request = post(JSON.stringify('x'.repeat(LIMIT)), { 'content-length': '5' })
    expect(await readJson(request, LIMIT)).toMatchObject({ failure: { type: 'body-too-large' } })
  })

  it('stops a body without a length at the limit', async () => {
    const { request, state } = streamed(Array.from({ length: 100 }, () => new Uint8Array(400).fill(0x20)))
    expect(await readJson(request, LIMIT)).toMatchObject({ failure: { type: 'body-too-large' } })
    expect(state).toEqual({ pulled: 3, cancelled: true })
  })

  it.each(['-1', '1e3', 'abc', '5, 5'])("is counted from the body if the declared length is '%s'", async (length) => {
    const request = post(JSON.stringify('x'.repeat(LIMIT)), { 'content-length': length })
    expect(await readJson(request, LIMIT)).toMatchObject({ failure: { type: 'body-too-large' } })
  })

  it('may be exactly the limit, counted in bytes', async () => {
    const text = JSON.stringify('é'.repeat(499))
    expect(await readJson(post(text), LIMIT)).toMatchObject({ ok: true })
    expect(await readJson(post(text), LIMIT - 1)).toMatchObject({ failure: { type: 'body-too-large' } })
  })

  it('is counted over chunks, even if they split a character', async () => {
    const bytes = new TextEncoder().encode('{"name":"né"}')
    const { request } = streamed([bytes.slice(0, 10), bytes.slice(10, 11), bytes.slice(11)])
    expect(await readJson(request, LIMIT)).toEqual({ ok: true, value: { name: 'né' } })
  })

  it('is not checked for a body that broke off, which is malformed', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    }
    expect(await readJson(new Request('https://switchboard.test/', init), LIMIT)).toMatchObject({
      failure: { type: 'request-malformed', message: 'Cannot read the body: it broke off' },
    })
  })
})

describe('the text', () => {
  it('must be UTF-8, and an invalid one does not affect later ones', async () => {
    expect(await failureOf(Uint8Array.of(0x22, 0xc3, 0x28, 0x22))).toEqual({
      type: 'request-malformed',
      message: 'Cannot read the body: invalid UTF-8',
    })
    expect(await failureOf(Uint8Array.of(0x22, 0xc3))).toMatchObject({ type: 'request-malformed' })
    expect(await read('"ok"')).toEqual({ ok: true, value: 'ok' })
  })

  it.each([
    ['a byte that begins nothing', [0xff]],
    ['a character of two bytes without its last', [0xc3]],
    ['a character of three bytes without its last', [0xe2, 0x82]],
    ['a character of four bytes without its last two', [0xf0, 0x9f]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['more bytes than one character may have', [0xf8, 0x88, 0x80, 0x80, 0x80]],
    ['a true U+FFFD beside a byte that is none', [0xef, 0xbf, 0xbd, 0xff]],
  ])('with a known length must also be UTF-8: %s', async (_, bytes) => {
    const body = Uint8Array.of(0x22, ...bytes, 0x22)
    const request = post(body, { 'content-length': String(body.length) })
    expect(await readJson(request, LIMIT)).toMatchObject({
      failure: { message: 'Cannot read the body: invalid UTF-8' },
    })
  })

  it('with a known length may contain U+FFFD itself, and a truncated character is read as that', async () => {
    expect(await read('"a\ufffdb"')).toEqual({ ok: true, value: 'a\ufffdb' })
    const cut = Uint8Array.of(0x22, 0xf0, 0x9f, 0x98, 0x22)
    expect(await readJson(post(cut, { 'content-length': '5' }), LIMIT)).toEqual({ ok: true, value: '\ufffd' })
    expect(await failureOf(cut)).toMatchObject({ message: 'Cannot read the body: invalid UTF-8' })
  })

  it('may begin with a byte order mark', async () => {
    expect(await read('\ufeff{"a":1}')).toEqual({ ok: true, value: { a: 1 } })
  })

  it.each(['', ' \n'])('%j is empty', async (text) => {
    expect(await messageOf(text)).toBe('Cannot parse the body as JSON: it is empty')
  })

  it('a request without a body is empty', async () => {
    expect(await readJson(post(null), LIMIT)).toMatchObject({
      failure: { message: 'Cannot parse the body as JSON: it is empty' },
    })
  })

  it.each([
    ['{"a":1,"b\u00e9":22 "c":3}', "',' or '}' expected at line 1, column 16 (offset 15)"],
    ['[1 2]', "',' or ']' expected at line 1, column 4 (offset 3)"],
    ['{"a":[1],\n "b" 2}', "':' expected at line 2, column 6 (offset 15)"],
    ['{"a":1,}', 'name in double quotes expected at line 1, column 8 (offset 7)'],
    ['[1,]', 'value expected at line 1, column 4 (offset 3)'],
    ["{'a':1}", 'unknown word or sign at line 1, column 2 (offset 1)'],
    ['{"a":1', "'}' expected at line 1, column 7 (offset 6)"],
    ['// no\n1', 'comment not allowed at line 1, column 1 (offset 0)'],
    ['1 2', 'end expected at line 1, column 3 (offset 2)'],
    ['"a\nb"', 'string without an end at line 1, column 1 (offset 0)'],
    ['"\\x"', 'unknown escape at line 1, column 1 (offset 0)'],
    ['"\\u12"', 'malformed \\u escape at line 1, column 1 (offset 0)'],
    ['"\t"', 'control character in a string at line 1, column 1 (offset 0)'],
    ['1.', 'number without an end at line 1, column 1 (offset 0)'],
    ['-', 'unknown word or sign at line 1, column 1 (offset 0)'],
    ['\u00a01', 'unknown word or sign at line 1, column 1 (offset 0)'],
    ['01', 'end expected at line 1, column 2 (offset 1)'],
    ['NaN', 'unknown word or sign at line 1, column 1 (offset 0)'],
  ])('%j: %s', async (text, fault) => {
    expect(await messageOf(text)).toBe(`Cannot parse the body as JSON: ${fault}`)
  })

  it('is refused exactly when JSON.parse refuses it, with a position', async () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\/ \n\t01-.e+aun\u007f\u2028'.split(''),
      'true',
      'null',
      '"a"',
      '\\u00',
      '"a":1',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
        const text = pieces.join('')
        if (text.trim() === '') return
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        if (valid) expect(await read(text)).toEqual({ ok: true, value: JSON.parse(text) })
        else expect(await messageOf(text)).toMatch(/ at line \d+, column \d+ \(offset \d+\)$/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is never quoted in failures', async () => {
    expect(await messageOf('{"password": hunter2}')).not.toContain('hunter2')
  })

  it('with a repeated key has its last value', async () => {
    expect(await read('{"a":1,"a":2}')).toEqual({ ok: true, value: { a: 2 } })
  })
})

describe('nesting', () => {
  const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)
  const tooDeep = `Cannot accept the body: it nests deeper than ${MAX_DEPTH} levels`

  it('is accepted up to the limit and no deeper', async () => {
    expect(await read(nested(MAX_DEPTH))).toMatchObject({ ok: true })
    expect(await messageOf(nested(MAX_DEPTH + 1))).toBe(tooDeep)
    expect(await messageOf('{"a":'.repeat(MAX_DEPTH + 1) + '1' + '}'.repeat(MAX_DEPTH + 1))).toBe(tooDeep)
  })

  it('does not count brackets in strings, whatever is escaped in them', async () => {
    const strings = ['[[[', '\\"[[[', '\\\\', '"', '\\\\\\"[['].map((text) => text.repeat(40))
    expect(await read(JSON.stringify(strings))).toEqual({ ok: true, value: strings })
    expect(await messageOf(nested(MAX_DEPTH + 1, '"\\\\"'))).toBe(tooDeep)
    expect(await messageOf(`["\\"",${nested(MAX_DEPTH)}]`)).toBe(tooDeep)
  })

  it('counts siblings once', async () => {
    expect(await read(`[${Array.from({ length: 200 }, () => '[]').join(',')}]`)).toMatchObject({ ok: true })
  })

  it.each(['[', '"\n[', '"[', '{"a":', '/*"*/['])('%j without an end exhausts nothing', async (start) => {
    const text = start + '['.repeat(90_000)
    expect(await messageOf(text)).toMatch(/^Cannot (accept|parse) the body/)
  })
})

describe('the key __proto__', () => {
  it.each([
    ['{"__proto__":{}}', '/__proto__'],
    ['{"a":[0,{"b/c":{"__proto__":1}}]}', '/a/1/b~1c/__proto__'],
    ['{"\\u005f_proto__":{}}', '/__proto__'],
    ['{"a":{"\\u005F\\u005f\\u0070roto\\u005f_":1}}', '/a/__proto__'],
  ])('is rejected: %s', async (text, pointer) => {
    expect(await messageOf(text)).toBe(`Cannot accept the key '__proto__' at '${pointer}'`)
  })

  it('is allowed as a value', async () => {
    expect(await read('{"a":"__proto__","b":"\\u005f"}')).toMatchObject({ ok: true })
  })
})

describe('a form', () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = (text: string) => readForm(post(text, type), 100_000)

  it.each([
    ['application/x-www-form-urlencoded', true],
    ['Application/X-WWW-Form-Urlencoded ; charset=utf-8', true],
    ['application/x-www-form-urlencode', false],
    ['text/plain', false],
  ])('has the content type %s: %s', async (sent, isOne) => {
    const form = await readForm(post('a=1', { 'content-type': sent }), 100)
    const wanted = 'application/x-www-form-urlencoded'
    if (isOne) expect(form).toMatchObject({ ok: true })
    else
      expect(form).toEqual({
        ok: false,
        failure: { type: 'media-type-unsupported', contentType: sent, acceptedType: wanted },
      })
  })

  it('is rejected without a type', async () => {
    const request = new Request('https://sb.example/', { method: 'POST', body: new Uint8Array(1) })
    expect(await readForm(request, 100)).toMatchObject({ failure: { contentType: null } })
  })

  it.each<[Record<string, string>, string, object]>([
    [{ 'content-length': '101' }, 'a=1', { failure: { type: 'body-too-large', limit: 100, size: 101 } }],
    [{ 'content-length': '3' }, 'a'.repeat(101), { failure: { type: 'body-too-large', limit: 100 } }],
    [{ 'content-length': '100' }, 'a'.repeat(100), { ok: true }],
    [{ 'content-length': 'x3' }, 'a=1', { ok: true }],
    [{ 'content-length': '3x' }, 'a=1', { ok: true }],
    [{}, 'a'.repeat(101), { failure: { type: 'body-too-large', limit: 100 } }],
    [{}, 'a'.repeat(100), { ok: true }],
  ])('is limited with %j', async (headers, text, answer) => {
    const { request } = streamed([new TextEncoder().encode(text)])
    for (const [name, value] of Object.entries({ ...type, ...headers })) request.headers.set(name, value)
    expect(await readForm(request, 100)).toMatchObject(answer)
  })

  it('has at most 5,000 fields, since each takes many times its bytes', async () => {
    const most = await sent(Array(5_000).fill('a').join('&'))
    expect([most.ok, most.ok && most.value.size]).toEqual([true, 5_000])
    for (const many of [Array(5_001).fill('a').join('&'), 'a&'.repeat(40_000)]) {
      expect(await sent(many)).toEqual({ ok: false, failure: { type: 'body-too-large', limit: 100_000 } })
    }
  })
})

describe('a long text', () => {
  const long = JSON.stringify(Array.from({ length: 50_000 }, (_, n) => `text number ${n} ${'x'.repeat(60)}`))

  it('is read in slices, and yields to other requests between them', async () => {
    const order: string[] = []
    setTimeout(() => order.push('another'), 0)
    const reading = readJsonText(long)
    expect(reading).toBeInstanceOf(Promise)
    await Promise.resolve(reading).then(() => order.push('read'))
    expect(order).toEqual(['another', 'read'])
    const result = await reading
    expect(result.ok && Array.isArray(result.value) && result.value.length).toBe(50_000)
    expect(await readJsonText(`${long}]`)).toMatchObject({
      failure: { type: 'request-malformed' },
    })
  })
})
