/** The part of WASI (preview 1) that compilers' libraries need, inside the sandbox. No files, arguments or environment. */
import { decode } from './kernel.ts'
import { type HostFunctions, MAX_LINE, type PluginCall } from './plugin-call.ts'
import { DECODED_BYTE, RANDOM_BYTE } from './prices.ts'

const SUCCESS = 0
const BAD_DESCRIPTOR = 8
const INVALID = 28
export const NOT_SUPPORTED = 52
const MAX_PARTS = 1_024
/** Parts of a write may overlap, so they can be much larger than the memory. The plugin writes the rest again. */
const MAX_WRITTEN = 65_536

export function wasiFunctions({ charge, log, memory }: PluginCall): HostFunctions {
  const none = (count: number, size: number) => {
    memory().setUint32(count, 0, true)
    memory().setUint32(size, 0, true)
    return SUCCESS
  }
  return {
    args_get: () => SUCCESS,
    args_sizes_get: none,
    environ_get: () => SUCCESS,
    environ_sizes_get: none,
    clock_time_get(_clock: number, _precision: bigint, result: number) {
      charge(0)
      memory().setBigUint64(result, BigInt(Date.now()) * 1_000_000n, true)
      return SUCCESS
    },
    random_get(start: number, length: number) {
      charge((length >>> 0) * RANDOM_BYTE)
      const { buffer } = memory()
      const bytes = new Uint8Array(buffer, start >>> 0, length >>> 0)
      for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
      return SUCCESS
    },
    fd_write(descriptor: number, parts: number, count: number, written: number) {
      if (descriptor !== 1 && descriptor !== 2) return BAD_DESCRIPTOR
      if (count < 0 || count > MAX_PARTS) return INVALID
      charge(0)
      const view = memory()
      let size = 0
      let text = ''
      for (let index = 0; index < count && size < MAX_WRITTEN; index++) {
        const start = view.getUint32(parts + 8 * index, true)
        const length = Math.min(view.getUint32(parts + 8 * index + 4, true), MAX_WRITTEN - size)
        // As many bytes as a kept line may have
        const read = Math.min(length, Math.max(0, 3 * MAX_LINE - size))
        charge(read * DECODED_BYTE)
        text += decode(new Uint8Array(view.buffer, start, read))
        size += length
      }
      view.setUint32(written, size, true)
      if (text.trim() !== '') log(text.trimEnd())
      return SUCCESS
    },
    fd_prestat_get: () => BAD_DESCRIPTOR,
    fd_fdstat_get: () => BAD_DESCRIPTOR,
    fd_close: () => BAD_DESCRIPTOR,
    fd_read: () => BAD_DESCRIPTOR,
    fd_seek: () => BAD_DESCRIPTOR,
    sched_yield: () => SUCCESS,
    proc_exit(code: number) {
      throw new Error(`The plugin exited with the code ${code}`)
    },
  }
}
