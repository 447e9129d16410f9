/** Extism's kernel, inside the sandbox: blocks behind 64-bit handles. A handle plus an offset is an address. */
import { COPIED_BYTE } from './prices.ts'

export type Kernel = ReturnType<typeof createKernel>

/** For all blocks together. Each counts as at least MIN_BLOCK, to cover its overhead. */
export const MAX_MEMORY_BYTES = 16 * 1024 * 1024
export const MIN_BLOCK = 64
/** The lower part of an address is the offset. Doubles hold the whole address exactly. */
const OFFSETS = 2 ** 32

const decoder = new TextDecoder()
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Copies the beginning of a text, because engines keep the whole text for a slice of it. */
export const copyStart = (text: string, characters: number): string => ` ${text.slice(0, characters)}`.slice(1)

export function createKernel(charge: (units: number) => void) {
  const blocks: (DataView | undefined)[] = [undefined]
  let used = 0
  let at = 0
  let output = 0

  function getView(address: bigint): DataView {
    const whole = Number(address)
    const index = Math.floor(whole / OFFSETS)
    at = whole - index * OFFSETS
    const block = blocks[index]
    if (!block) throw new Error('The plugin used memory that is not allocated')
    return block
  }

  /** `make` returns the block's bytes, which then belong to the block. */
  function add(bytes: number, make: () => Uint8Array): bigint {
    used += Math.max(MIN_BLOCK, bytes)
    if (used > MAX_MEMORY_BYTES)
      throw new Error(`The plugin allocated more than ${MAX_MEMORY_BYTES} bytes of shared memory`)
    charge(bytes * COPIED_BYTE)
    const { buffer, byteOffset } = make()
    blocks.push(new DataView(buffer, byteOffset, bytes))
    return BigInt((blocks.length - 1) * OFFSETS)
  }

  const length = (handle: bigint): number => blocks[getIndex(handle)]?.byteLength ?? 0

  return {
    used: () => used,
    length,
    /** JavaScript receives unsigned 64-bit integers as signed ones. */
    alloc(size: bigint): bigint {
      const bytes = Number(BigInt.asUintN(64, size))
      return add(bytes, () => new Uint8Array(bytes))
    },
    give: (bytes: Uint8Array): bigint => add(bytes.length, () => bytes),
    /** Charges for and returns a block's first `size` bytes, or all. Only this returns many. An unknown handle has none. */
    read(handle: bigint, unitsPerByte: number, size?: bigint): Uint8Array {
      const most = length(handle)
      const bytes = size === undefined ? BigInt(most) : BigInt.asUintN(64, size)
      if (bytes > most) throw new Error(`The plugin used ${bytes} bytes of a block of ${most}`)
      charge(Number(bytes) * unitsPerByte)
      const block = blocks[getIndex(handle)]
      return block ? new Uint8Array(block.buffer, block.byteOffset, Number(bytes)) : new Uint8Array()
    },
    /** Keeps the output's block from being freed, because it is read after the call has ended. */
    keepOutput(handle: bigint): void {
      output = getIndex(handle)
    },
    free(handle: bigint): void {
      const index = getIndex(handle)
      const freed = blocks[index]
      if (!freed || index === output) return
      used -= freed.byteLength > MIN_BLOCK ? freed.byteLength - MIN_BLOCK : 0
      blocks[index] = undefined
    },
    load8: (address: bigint) => getView(address).getUint8(at),
    load64: (address: bigint) => getView(address).getBigUint64(at, true),
    store8: (address: bigint, value: number) => getView(address).setUint8(at, value),
    store64: (address: bigint, value: bigint) => getView(address).setBigUint64(at, value, true),
  }
}

function getIndex(address: bigint): number {
  return Math.floor(Number(address) / OFFSETS)
}
