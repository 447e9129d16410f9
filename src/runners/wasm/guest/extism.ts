/** The imports of `extism:host/env` (Extism plugin ABI). Runs inside the sandbox. */
import { requestHttp } from './http.ts'
import { copyStart, decode, MIN_BLOCK } from './kernel.ts'
import {
  type HostFunctions,
  MAX_LINE,
  MAX_MESSAGE,
  MAX_OUTPUT,
  OUTPUT_TOO_LARGE,
  type PluginCall,
} from './plugin-call.ts'
import { COPIED_BYTE, DECODED_BYTE, PARSED_BYTE } from './prices.ts'

const MAX_VARIABLES = 1024 * 1024
const MAX_NAME = 65_536
/** The most bytes that a character takes. */
const WIDEST = 3

const encoder = new TextEncoder()

export function extismFunctions(call: PluginCall): HostFunctions {
  const { kernel, input, config, charge, log, countBytes } = call
  const view = new DataView(input.buffer, input.byteOffset, input.length)
  const variables = new Map<string, Uint8Array>()
  let variableBytes = 0
  let inputHandle = 0n

  const giveText = (text: string): bigint => {
    charge(text.length * DECODED_BYTE)
    return kernel.give(encoder.encode(text))
  }
  const readName = (handle: bigint): string => {
    if (kernel.length(handle) > MAX_NAME) throw new Error(`The plugin used a name of more than ${MAX_NAME} bytes`)
    return decode(kernel.read(handle, DECODED_BYTE))
  }
  const readStart = (handle: bigint, characters: number): string => {
    const size = Math.min(kernel.length(handle), WIDEST * characters)
    return copyStart(decode(kernel.read(handle, DECODED_BYTE, BigInt(size))), characters)
  }
  const logAt = (level: string) => (handle: bigint) => {
    const line = readStart(handle, MAX_LINE)
    log(level === 'info' ? line : `${level}: ${line}`)
  }
  const measureSize = (name: string, value: Uint8Array | undefined): number =>
    value ? Math.max(MIN_BLOCK, value.length + name.length) : 0

  return {
    alloc: kernel.alloc,
    free: kernel.free,
    length: (handle: bigint) => BigInt(kernel.length(handle)),
    length_unsafe: (handle: bigint) => BigInt(kernel.length(handle)),
    load_u8: kernel.load8,
    load_u64: kernel.load64,
    store_u8: kernel.store8,
    store_u64: kernel.store64,
    input_length: () => BigInt(input.length),
    input_offset: () => (inputHandle ||= kernel.give(input.slice())),
    input_load_u8: (at: bigint) => view.getUint8(Number(at)),
    input_load_u64: (at: bigint) => view.getBigUint64(Number(at), true),
    output_set(handle: bigint, length: bigint) {
      if (BigInt.asUintN(64, length) > WIDEST * MAX_OUTPUT) throw new Error(OUTPUT_TOO_LARGE)
      call.output = kernel.read(handle, PARSED_BYTE, length)
      kernel.keepOutput(handle)
    },
    error_set(handle: bigint) {
      call.error = handle === 0n ? undefined : readStart(handle, MAX_MESSAGE)
    },
    error_get: () => (call.error === undefined ? 0n : giveText(call.error)),
    config_get(key: bigint) {
      const name = readName(key)
      const value = Object.hasOwn(config, name) ? config[name] : undefined
      return value === undefined ? 0n : giveText(value)
    },
    var_get(key: bigint) {
      const value = variables.get(readName(key))
      return value ? kernel.give(value.slice()) : 0n
    },
    var_set(key: bigint, handle: bigint) {
      const name = readName(key)
      const value = handle === 0n ? undefined : kernel.read(handle, COPIED_BYTE)
      const more = measureSize(name, value) - measureSize(name, variables.get(name))
      variableBytes += more
      if (variableBytes > MAX_VARIABLES) throw new Error(`The plugin's variables are over ${MAX_VARIABLES} bytes`)
      countBytes(more)
      if (value) variables.set(name, value.slice())
      else variables.delete(name)
    },
    http_request: requestHttp(call),
    http_status_code: () => call.http.status,
    http_headers: () => giveText(call.http.headers),
    log_trace: logAt('trace'),
    log_debug: logAt('debug'),
    log_info: logAt('info'),
    log_warn: logAt('warn'),
    log_error: logAt('error'),
    get_log_level: () => 0,
  }
}
