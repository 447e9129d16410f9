import { expect, it } from 'vitest'
import type { PluginCall } from '../../../../src/runners/wasm/guest/plugin-call.ts'
import { createKernel } from '../../../../src/runners/wasm/guest/kernel.ts'
import { DECODED_BYTE } from '../../../../src/runners/wasm/guest/prices.ts'
import { wasiFunctions } from '../../../../src/runners/wasm/guest/wasi.ts'

const MIB = 1024 * 1024
const WRITTEN = 0
const PARTS = 16

/** Returns the log of a plugin with a memory of 2 MiB, full of letters, and the fuel that it is charged. */
function write(parts: readonly (readonly [start: number, length: number])[]) {
  const memory = new DataView(new ArrayBuffer(2 * MIB))
  new Uint8Array(memory.buffer).fill('a'.charCodeAt(0))
  for (const [index, [start, length]] of parts.entries()) {
    memory.setUint32(PARTS + 8 * index, start, true)
    memory.setUint32(PARTS + 8 * index + 4, length, true)
  }
  const logged: string[] = []
  let charged = 0
  const call: PluginCall = {
    kernel: createKernel(() => undefined),
    input: new Uint8Array(),
    config: {},
    timeoutMs: 1_000,
    charge: (units) => void (charged += units),
    log: (line) => void logged.push(line),
    countBytes: () => undefined,
    countHeldBytes: () => 0,
    memory: () => memory,
    http: { requests: 0, status: 0, headers: '{}' },
    output: new Uint8Array(),
    error: undefined,
  }
  const fdWrite: ((...given: never[]) => unknown) | undefined = wasiFunctions(call)['fd_write']
  const code: unknown = Reflect.apply(fdWrite ?? (() => undefined), undefined, [1, PARTS, parts.length, WRITTEN])
  return { code, written: memory.getUint32(WRITTEN, true), logged: logged.join().length, charged }
}

it('fd_write writes a small amount completely', () => {
  const text = [MIB, 10] as const
  expect(write([text, text])).toEqual({ code: 0, written: 20, logged: 20, charged: 20 * DECODED_BYTE })
})

it.each([
  ['1,024 parts that overlap', Array.from({ length: 1_024 }, () => [MIB, MIB] as const)],
  ['one large part', [[MIB, MIB] as const]],
])('fd_write writes at most 64 KiB at once, and reads as much as a line can keep: %s', (_, parts) => {
  expect(write(parts)).toEqual({ code: 0, written: 65_536, logged: 12_000, charged: DECODED_BYTE * 12_000 })
})

it('fd_write accepts at most 1,024 parts', () => {
  expect(write(Array.from({ length: 1_025 }, () => [MIB, 1] as const))).toMatchObject({ code: 28, logged: 0 })
})
