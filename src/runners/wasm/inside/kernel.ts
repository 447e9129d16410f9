/** Extism's kernel, inside the sandbox: blocks behind 64-bit handles. A handle plus an offset is an address. */
export type Kernel = ReturnType<typeof createKernel>

/** All blocks together. Each counts as MIN_BLOCK at least, for what it takes to keep it. */
const MAX_BYTES = 16 * 1024 * 1024
const MIN_BLOCK = 64
/** The lower part of an address is the offset; doubles have all of it exactly. */
const OFFSETS = 2 ** 32

const decoder = new TextDecoder()

export function createKernel() {
  const blocks: (DataView | undefined)[] = [undefined]
  let used = 0
  let at = 0

  function viewOf(address: bigint): DataView {
    const whole = Number(address)
    const index = Math.floor(whole / OFFSETS)
    at = whole - index * OFFSETS
    const found = blocks[index]
    if (!found) throw new Error('The plugin used memory that is not allocated')
    return found
  }

  const block = (handle: bigint) => {
    const found = blocks[indexOf(handle)]
    return found && new Uint8Array(found.buffer, found.byteOffset, found.byteLength)
  }

  return {
    alloc(bytes: Uint8Array) {
      used += Math.max(MIN_BLOCK, bytes.length)
      if (used > MAX_BYTES) throw new Error(`The plugin allocated more than ${MAX_BYTES} bytes of shared memory`)
      blocks.push(new DataView(bytes.buffer, bytes.byteOffset, bytes.length))
      return BigInt((blocks.length - 1) * OFFSETS)
    },
    free(handle: bigint) {
      const index = indexOf(handle)
      const freed = blocks[index]
      if (!freed) return
      used -= freed.byteLength > MIN_BLOCK ? freed.byteLength - MIN_BLOCK : 0
      blocks[index] = undefined
    },
    block,
    text: (handle: bigint) => decoder.decode(block(handle)),
    load8: (address: bigint) => viewOf(address).getUint8(at),
    load64: (address: bigint) => viewOf(address).getBigUint64(at, true),
    store8: (address: bigint, value: number) => viewOf(address).setUint8(at, value),
    store64: (address: bigint, value: bigint) => viewOf(address).setBigUint64(at, value, true),
  }
}

function indexOf(address: bigint): number {
  return Math.floor(Number(address) / OFFSETS)
}
