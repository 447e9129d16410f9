import { describe, expect, it } from 'vitest'
import { createKvReader, parseKvJson } from '../../src/storage/kv-reader.ts'
import { memoryKv } from './registry/set-up.ts'

const SECOND = 1_000

/** One isolate's reader, with what it asked the Durable Object for. */
function isolate() {
  const kv = memoryKv()
  const asked: string[] = []
  const clock = { time: 0 }
  const owner = new Map<string, string>()
  const ask = async (key: string) => {
    asked.push(key)
    return owner.get(key)
  }
  const reader = createKvReader(kv.binding, ask, () => clock.time)
  return {
    kv,
    asked,
    clock,
    owner,
    wrote: reader.markWritten,
    read: (key: string) => reader.readThrough<unknown>(key),
    readKv: (key: string) => reader.read<unknown>(key),
  }
}

describe('a value in KV', () => {
  it('is read from KV only if it is there', async () => {
    const { kv, asked, read } = isolate()
    kv.values.set('a', '{"from":"kv"}')
    expect(await read('a')).toEqual({ from: 'kv' })
    expect(asked).toEqual([])
  })

  it('is read from its Durable Object for a minute in the isolate that changed it, and no other value is', async () => {
    const { kv, asked, clock, owner, read, wrote } = isolate()
    for (const key of ['a', 'b']) kv.values.set(key, '"before"')
    owner.set('a', '"after"')
    wrote('a')
    for (const at of [0, 30, 59.999]) {
      clock.time = at * SECOND
      expect(await read('a')).toBe('after')
      expect(await read('b')).toBe('before')
    }
    expect(kv.reads).toEqual(['b', 'b', 'b'])
    clock.time = 60 * SECOND
    expect(await read('a')).toBe('before')
    expect(asked).toEqual(['a', 'a', 'a'])
  })

  it('is also read there if a change covers the whole toolkit', async () => {
    const { kv, asked, read, wrote } = isolate()
    for (const key of ['tool/kit.a', 'tool/kits.a']) kv.values.set(key, '"before"')
    wrote('tool/kit.')
    expect(await read('tool/kit.a')).toBeUndefined()
    expect(await read('tool/kits.a')).toBe('before')
    expect(asked).toEqual(['tool/kit.a'])
  })

  it('is gone at once in the isolate that removed it', async () => {
    const { kv, read, wrote } = isolate()
    kv.values.set('a', '"before"')
    wrote('a')
    expect(await read('a')).toBeUndefined()
    expect(kv.reads).toEqual([])
  })

  it('is read from its Durable Object if KV lacks it and absence in KV is not trusted', async () => {
    const { asked, owner, read, readKv } = isolate()
    owner.set('a', '"new"')
    expect(await readKv('a')).toBeUndefined()
    expect(asked).toEqual([])
    expect(await read('a')).toBe('new')
  })

  it('is looked up in its Durable Object at most 50 times per second, and is otherwise unknown', async () => {
    const { asked, clock, owner, read } = isolate()
    for (let n = 0; n < 200; n += 1) owner.set(`made-up-${n}`, '1')
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => read(`made-up-${n}`)))
    expect(answers.filter((answer) => answer === 1)).toHaveLength(50)
    expect(asked).toHaveLength(50)
    clock.time += SECOND
    expect(await read('made-up-199')).toBe(1)
  })

  it('is looked up in its Durable Object without a limit in the isolate that changed it', async () => {
    const { asked, read, wrote } = isolate()
    wrote('a')
    for (let n = 0; n < 100; n += 1) await read('a')
    expect(asked).toHaveLength(100)
  })
})

it('a stored JSON null differs from an absent value', () => {
  expect(parseKvJson('null')).toBeNull()
  expect(parseKvJson('[1]')).toEqual([1])
  expect(parseKvJson(null)).toBeUndefined()
  expect(parseKvJson(undefined)).toBeUndefined()
})
