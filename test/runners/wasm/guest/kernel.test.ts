import { expect, it } from 'vitest'
import { copyStart, createKernel, MAX_MEMORY_BYTES } from '../../../../src/runners/wasm/guest/kernel.ts'

/** Creates a kernel with this many units of fuel. */
function kernelWith(fuel: number) {
  let left = fuel
  const kernel = createKernel((units) => {
    if (units > left) throw new Error('There is no fuel left')
    left -= units
  })
  return { kernel, used: () => fuel - left }
}

const BYTES = Uint8Array.of(104, 101, 108, 108, 111)

it('a block is read as a whole or in part, for a price per byte', () => {
  const { kernel, used } = kernelWith(1_000)
  const handle = kernel.give(BYTES)
  const before = used()
  expect(kernel.read(handle, 3)).toEqual(BYTES)
  expect(kernel.read(handle, 10, 2n)).toEqual(BYTES.subarray(0, 2))
  expect(kernel.read(handle, 10, 0n)).toEqual(new Uint8Array())
  expect(used() - before).toBe(5 * 3 + 2 * 10)
})

it.each([6n, 2n ** 32n, 2n ** 63n - 1n, -1n, -(2n ** 63n)])('a block of 5 bytes cannot be read to %s', (size) => {
  const { kernel, used } = kernelWith(1_000)
  const handle = kernel.give(BYTES)
  const before = used()
  const bytes = BigInt.asUintN(64, size)
  expect(() => kernel.read(handle, 1, size)).toThrow(`The plugin used ${bytes} bytes of a block of 5`)
  expect(used()).toBe(before)
})

it('a block is not read if there is no fuel for its bytes', () => {
  const { kernel } = kernelWith(40)
  const handle = kernel.give(BYTES)
  expect(() => kernel.read(handle, 10)).toThrow('There is no fuel left')
  expect(kernel.read(handle, 1)).toEqual(BYTES)
})

it.each([-1n, -(2n ** 63n), BigInt(MAX_MEMORY_BYTES) + 1n])('a block of %s bytes cannot be allocated', (size) => {
  const { kernel, used } = kernelWith(2 ** 40)
  expect(() => kernel.alloc(size)).toThrow(`more than ${MAX_MEMORY_BYTES} bytes of shared memory`)
  expect(used()).toBe(0)
})

it('a block is not created if there is no fuel for its bytes', () => {
  const { kernel } = kernelWith(1_000)
  expect(() => kernel.alloc(1_000_000n)).toThrow('There is no fuel left')
  expect(() => kernel.give(new Uint8Array(1_000_000))).toThrow('There is no fuel left')
})

it.each([0n, 1n, -1n, 2n ** 62n, -(2n ** 63n)])(
  'a block that was never created has no bytes, and cannot be read: %s',
  (handle) => {
    const { kernel } = kernelWith(1_000)
    expect(kernel.length(handle)).toBe(0)
    expect(kernel.read(handle, 1)).toEqual(new Uint8Array())
    expect(() => kernel.read(handle, 1, 1n)).toThrow('of a block of 0')
    expect(() => kernel.load8(handle)).toThrow('not allocated')
    expect(() => kernel.free(handle)).not.toThrow()
  },
)

it('a block is freed with its memory, unless it is the output, which is read later', () => {
  const { kernel } = kernelWith(2 ** 40)
  const size = BigInt(MAX_MEMORY_BYTES / 2 - 1_000)
  const [output, other] = [kernel.alloc(size), kernel.alloc(size)]
  kernel.keepOutput(output)
  kernel.free(output)
  expect(kernel.length(output)).toBe(Number(size))
  expect(() => createKernel(() => undefined).alloc(size)).not.toThrow()
  kernel.free(other)
  expect(kernel.length(other)).toBe(0)
  kernel.alloc(size)
  expect(() => kernel.alloc(size)).toThrow('shared memory')
})

it('the beginning of a text has the given number of characters, or all', () => {
  for (const text of ['', 'a', 'Grüße', 'x'.repeat(5_000)]) {
    expect(copyStart(text, 4_000)).toBe(text.slice(0, 4_000))
    expect(copyStart(text, 3)).toBe(text.slice(0, 3))
  }
})
