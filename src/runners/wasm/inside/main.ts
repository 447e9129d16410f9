import { WorkerEntrypoint } from 'cloudflare:workers'
import type { PluginCall } from './plugin-call.ts'
import { extismFunctions } from './extism.ts'
import { createKernel } from './kernel.ts'
import plugin from './plugin.wasm'
import { NOT_SUPPORTED, wasiFunctions } from './wasi.ts'

export interface ExportCall {
  readonly exported: 'describe' | 'call'
  readonly input: string
  readonly config: Readonly<Record<string, string>>
  readonly fuel: number
}

const MAX_LINES = 100
/** Longer than what is kept of it, which is cut once it is redacted. */
const MAX_LINE = 4_000
const HOST_COST = 600

export default class extends WorkerEntrypoint {
  async run(call: ExportCall): Promise<string> {
    return JSON.stringify(await runPlugin(call))
  }
}

async function runPlugin({ exported, input, config, fuel }: ExportCall) {
  const logs: string[] = []
  let instance: WebAssembly.Instance | undefined
  let failure: string | undefined
  let kind = 'failed'
  let gauge: WebAssembly.Global | undefined

  const left = (): bigint => BigInt(gauge?.value ?? fuel)
  const memoryOf = (): WebAssembly.Memory | undefined => {
    const found: unknown = instance?.exports['memory']
    return found instanceof WebAssembly.Memory ? found : undefined
  }
  const call: PluginCall = {
    kernel: createKernel(),
    input: new TextEncoder().encode(input),
    config,
    charge(bytes) {
      if (!gauge) return
      const rest = left() - BigInt(HOST_COST + Math.ceil(Math.max(0, bytes) / 4))
      gauge.value = rest
      if (rest < 0n) throw new Error('There is no fuel left')
    },
    log(line) {
      if (logs.length < MAX_LINES) logs.push(line.slice(0, MAX_LINE))
    },
    memory() {
      const memory = memoryOf()
      if (!memory) throw new Error("The plugin does not export its memory as 'memory'")
      return new DataView(memory.buffer)
    },
    http: { requests: 0, status: 0, headers: {} },
    output: '',
    error: undefined,
  }
  try {
    instance = new WebAssembly.Instance(plugin, importsOf(call))
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
    // Plain errors are the host's own sentences, and the text that a plugin aborts with
    const isPlain = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype
    if (call.error === undefined && !isPlain) kind = 'exception'
  }
  const remaining = left()
  const usage = {
    instructions: fuel - Math.max(0, Number(remaining)),
    memory_bytes: memoryOf()?.buffer.byteLength ?? 0,
  }
  if (remaining < 0n) return { ok: false, kind: 'fuel', message: 'There is no fuel left', logs, usage }
  if (failure !== undefined) return { ok: false, kind, message: failure, logs, usage }
  return { ok: true, value: call.output, logs, usage }
}

function importsOf(call: PluginCall): Record<string, Record<string, (...given: never[]) => unknown>> {
  const given = {
    'extism:host/env': extismFunctions(call),
    'wasi_snapshot_preview1': wasiFunctions(call),
    'env': { abort: abort(call) },
  }
  // Missing functions of WASI fail when used: most of the imported ones never are
  for (const { module: from, name } of WebAssembly.Module.imports(plugin)) {
    if (from === 'wasi_snapshot_preview1') given[from][name] ??= () => NOT_SUPPORTED
  }
  return given
}

/** AssemblyScript's `abort(message, file, line, column)`: texts are UTF-16, their length in bytes before them. */
function abort({ memory }: PluginCall) {
  return (message: number) => {
    if (message === 0) throw new Error('The plugin aborted')
    const view = memory()
    const length = Math.min(view.getUint32(message - 4, true), 2_000)
    const text = new TextDecoder('utf-16le').decode(new Uint8Array(view.buffer, message, length & ~1))
    throw new Error(`The plugin aborted: ${text}`)
  }
}

function isFunction(value: unknown): value is (...given: unknown[]) => unknown {
  return typeof value === 'function'
}
