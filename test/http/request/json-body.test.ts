import { expect, it } from 'vitest'
import { object, optional, string } from '../../../src/core/tool/json-reader.ts'
import { NO_MEMORY } from '../../../src/http/request/request-memory.ts'
import { jsonBody } from '../../../src/http/request/json-body.ts'

const NAMED = object({ name: optional(string({ max: 3 })) })

async function read(body: string | undefined, rules: Parameters<typeof jsonBody>[1] = {}) {
  const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  const request = new Request('https://sb.example/', { method: 'POST', ...init })
  const result = await jsonBody(NAMED, rules as object).read(request, {}, NO_MEMORY)
  return result.ok ? result.value : result.failure
}

it('a body is checked against its declaration, and may be missing if that allows it', async () => {
  expect(await read('{"name":"a"}')).toEqual({ name: 'a' })
  expect(await read('{"name":"abcd"}')).toMatchObject({ type: 'request-malformed' })
  expect(await read('{"name":"abcd"}', { what: 'key' })).toMatchObject({ type: 'definition-invalid', what: 'key' })
  expect(await read(undefined)).toMatchObject({ type: 'media-type-unsupported' })
  expect(await read(undefined, { isOptional: true })).toEqual({})
  expect(await read('{"name":"a"}', { isOptional: true })).toEqual({ name: 'a' })
  expect(await read(`{"name":"${'x'.repeat(100)}"}`, { limit: 50 })).toMatchObject({
    type: 'body-too-large',
    limit: 50,
  })
})

it('a body that may expand reserves memory for everything it may have read, before its route runs', async () => {
  const reserved: number[] = []
  const memory = { ...NO_MEMORY, growWholeBody: async (bytes: number) => reserved.push(bytes) === 1 }
  const reads = async () => {
    const body = jsonBody(NAMED, { limit: 50, fetchesSource: true })
    const headers = { 'content-type': 'application/json' }
    return body.read(new Request('https://sb.example/', { method: 'POST', body: '{}', headers }), {}, memory)
  }
  expect(await reads()).toEqual({ ok: true, value: {} })
  expect(await reads()).toMatchObject({ failure: { type: 'rate-limited' } })
  expect(reserved).toEqual([50, 50])
})
