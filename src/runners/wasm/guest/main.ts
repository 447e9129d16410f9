import { WorkerEntrypoint } from 'cloudflare:workers'
import { extismFunctions } from './extism.ts'
import { copyStart, createKernel, decode } from './kernel.ts'
import { MAX_LINE, MAX_OUTPUT, OUTPUT_TOO_LARGE, type PluginCall } from './plugin-call.ts'
import plugin from './plugin.wasm'
import { HOST_CALL } from './prices.ts'
import { checkMayStart } from './waiting.ts'
import { NOT_SUPPORTED, wasiFunctions } from './wasi.ts'

export interface ExportCall {
  readonly exported: 'describe' | 'call'
  readonly input: string
  readonly config: Readonly<Record<string, string>>
  readonly fuel: number
  readonly timeoutMs: number
}

const MAX_LINES = 100
/** The meter exports every module's memory under this name, whatever its own export is named. */
const MEMORY_EXPORT = '__memory'
/** Bytes that an instance takes besides its memory. */
const INSTANCE_BYTES = 256 * 1024

export default class extends WorkerEntrypoint {
  async run(call: ExportCall): Promise<string> {
    return JSON.stringify(await runPlugin(call))
  }
}

async function runPlugin({ exported, input, config, fuel, timeoutMs }: ExportCall) {
  const logs: string[] = []
  let countedBytes = INSTANCE_BYTES + 2 * input.length
  let instance: WebAssembly.Instance | undefined
  let failure: string | undefined
  let kind = 'failed'
  let can_retry: true | undefined
  let gauge: WebAssembly.Global | undefined

  const getRemainingFuel = (): bigint => BigInt(gauge?.value ?? fuel)
  const findMemory = (name: string): WebAssembly.Memory | undefined => {
    const exportedValue: unknown = instance?.exports[name]
    return exportedValue instanceof WebAssembly.Memory ? exportedValue : undefined
  }
  const memoryBytes = () => findMemory(MEMORY_EXPORT)?.buffer.byteLength ?? 0
  const charge = (units: number) => {
    if (!gauge) return
    const rest = getRemainingFuel() - BigInt(HOST_CALL + Math.ceil(units))
    gauge.value = rest
    if (rest < 0n) throw new Error('There is no fuel left')
  }
  const kernel = createKernel(charge)
  const call: PluginCall = {
    kernel,
    input: new TextEncoder().encode(input),
    config,
    timeoutMs,
    charge,
    log(line) {
      if (logs.length >= MAX_LINES) return
      const start = copyStart(line, MAX_LINE)
      logs.push(start)
      call.countBytes(2 * start.length)
    },
    countBytes: (bytes) => void (countedBytes += bytes),
    countHeldBytes: () => memoryBytes() + kernel.used() + countedBytes,
    memory() {
      const memory = findMemory('memory')
      if (!memory) throw new Error("The plugin does not export its memory as 'memory'")
      return new DataView(memory.buffer)
    },
    http: { requests: 0, status: 0, headers: '{}' },
    output: new Uint8Array(),
    error: undefined,
  }
  try {
    checkMayStart()
    instance = new WebAssembly.Instance(plugin, buildImports(call))
    const fuelGlobal: unknown = instance.exports['__fuel']
    if (!(fuelGlobal instanceof WebAssembly.Global)) throw new Error('The plugin is not metered')
    gauge = fuelGlobal
    for (const name of ['__start', '_initialize']) {
      const start = instance.exports[name]
      if (isFunction(start)) await WebAssembly.promising(start)()
    }
    const run = instance.exports[exported]
    if (!isFunction(run)) throw new Error('The plugin lost its export')
    const code = await WebAssembly.promising(run)()
    if (call.error !== undefined) failure = call.error
    else if (typeof code === 'number' && code !== 0) failure = `The plugin ended with the code ${code}`
  } catch (error) {
    failure = call.error ?? (error instanceof Error ? error.message : String(error))
    // Plain errors contain the host's own messages or the text that a plugin aborts with
    const isPlain = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype
    if (call.error === undefined && !isPlain) kind = 'exception'
    can_retry = Object(error).can_retry
  }
  const remaining = getRemainingFuel()
  const usage = {
    instructions: fuel - Math.max(0, Number(remaining)),
    memory_bytes: memoryBytes(),
  }
  if (remaining < 0n) return { ok: false, kind: 'fuel', message: 'There is no fuel left', logs, usage }
  if (failure !== undefined) return { ok: false, kind, message: failure, failure: { can_retry }, logs, usage }
  const value = decode(call.output)
  if (value.length > MAX_OUTPUT) return { ok: false, kind: 'failed', message: OUTPUT_TOO_LARGE, logs, usage }
  return { ok: true, value, logs, usage }
}

function buildImports(call: PluginCall): Record<string, Record<string, (...values: never[]) => unknown>> {
  const hostFunctions = {
    'extism:host/env': extismFunctions(call),
    'wasi_snapshot_preview1': wasiFunctions(call),
    'env': { abort: abort(call) },
  }
  // Missing WASI functions fail only when called, because most imported ones never are
  for (const { module: from, name } of WebAssembly.Module.imports(plugin)) {
    if (from === 'wasi_snapshot_preview1') hostFunctions[from][name] ??= () => NOT_SUPPORTED
  }
  return hostFunctions
}

/** AssemblyScript's `abort(message, file, line, column)`: texts are UTF-16, preceded by their length in bytes. */
function abort({ memory }: PluginCall) {
  return (message: number) => {
    if (message === 0) throw new Error('The plugin aborted')
    const view = memory()
    const length = Math.min(view.getUint32(message - 4, true), 2_000)
    const text = new TextDecoder('utf-16le').decode(new Uint8Array(view.buffer, message, length & ~1))
    throw new Error(`The plugin aborted: ${text}`)
  }
}

function isFunction(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === 'function'
}
