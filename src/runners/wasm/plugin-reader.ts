import { invalidSource } from '../../core/publish/import.ts'
import type { PluginReader } from '../../core/publish/plugin-submission.ts'
import type { YieldControl } from '../../core/tool/budget.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import type { Implementation } from '../../core/tool/tool.ts'
import { callSandbox } from '../sandbox/answer.ts'
import { type GuestModules, NO_LOADER, type Sandbox } from '../sandbox/sandbox.ts'
import { ModuleError } from './fuel/bytes.ts'
import { type MeteredModule, addFuelMetering } from './fuel/meter.ts'
import { checkHeader } from './fuel/sections.ts'
import type { ExportCall } from './guest/main.ts'
import { FUEL, MAX_PAGES, meteredBlob, pluginCode } from './plugin-code.ts'

interface PluginReaderOptions {
  readonly sandbox: Sandbox | undefined
  readonly inside: GuestModules
  readonly sha256: (bytes: ArrayBuffer) => Promise<string>
  readonly storeBlob: (name: string, bytes: ArrayBuffer) => Promise<void>
  readonly yieldControl: YieldControl
}

const MAX_DESCRIBED = 1024 * 1024
const DESCRIBE_TIMEOUT_MS = 8_000
const UNFINISHED = "Its 'describe' did not end in time"

/** The Extism plugin ABI, and AssemblyScript's `abort`. All of WASI may be imported. */
const IMPORTS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'extism:host/env',
    (
      'alloc free length length_unsafe load_u8 load_u64 store_u8 store_u64 ' +
      'input_length input_offset input_load_u8 input_load_u64 output_set error_set error_get config_get ' +
      'var_get var_set http_request http_status_code http_headers ' +
      'log_trace log_debug log_info log_warn log_error get_log_level'
    ).split(' '),
  ],
  ['env', ['abort']],
])
const WASI = 'wasi_snapshot_preview1'

export function createPluginReader(options: PluginReaderOptions): PluginReader {
  const { sandbox, inside, sha256, storeBlob, yieldControl } = options
  return {
    async read(bytes, { toolkit, allowed_hosts, config }, signal) {
      if (!sandbox) return { ok: false, failure: { type: 'tool-not-executable', id: toolkit, reason: NO_LOADER } }
      const metered = await meter(bytes, yieldControl)
      if (typeof metered === 'string') return invalidSource({ path: '', message: metered })
      const blob = await sha256(bytes.buffer)
      const described = await describe(sandbox, blob, metered.bytes.buffer, signal)
      if (typeof described === 'string') return invalidSource({ path: '', message: described })
      await store(blob, bytes, metered)
      return {
        ok: true,
        described: described.text,
        createImplementation: (tool): Implementation => ({
          kind: 'wasm',
          blob,
          tool,
          allowed_hosts: [...allowed_hosts],
          config: { ...config },
        }),
      }
    },
    async store(bytes, hash) {
      if ((await sha256(bytes.buffer)) !== hash) return `The plugin's bytes are not those of the SHA-256 '${hash}'`
      const metered = await meter(bytes, yieldControl)
      if (typeof metered === 'string') return metered
      await store(hash, bytes, metered)
      return undefined
    },
  }

  /** Stores the uploaded bytes last: if they exist, the metered bytes do too. */
  async function store(blob: string, uploaded: Uint8Array<ArrayBuffer>, metered: MeteredModule): Promise<void> {
    await storeBlob(meteredBlob(blob), metered.bytes.buffer)
    await storeBlob(blob, uploaded.buffer)
  }

  async function describe(
    sandbox: Sandbox,
    blob: string,
    bytes: ArrayBuffer,
    signal: AbortSignal,
  ): Promise<{ readonly text: string } | string> {
    const code = pluginCode(inside, blob, null, async () => bytes)
    const call: ExportCall = { exported: 'describe', input: '', config: {}, fuel: FUEL, timeoutMs: DESCRIBE_TIMEOUT_MS }
    const answer = await callSandbox(sandbox, code, [call], {
      signal: AbortSignal.any([signal, AbortSignal.timeout(DESCRIBE_TIMEOUT_MS)]),
      subject: 'The plugin',
      unfinished: UNFINISHED,
    })
    if (!answer.ok) return answer.failure ? findReason(answer.failure) : UNFINISHED
    const { result } = answer
    if (!result.ok) {
      return result.kind === 'fuel'
        ? `Its 'describe' did not end within ${FUEL} instructions`
        : `Its 'describe' failed: ${findReason(result.failure)}`
    }
    const text = String(result.value)
    if (text.length > MAX_DESCRIBED) return `Its 'describe' gave more than ${MAX_DESCRIBED} characters`
    return { text }
  }
}

/** Includes the message for developers, because the publisher is the developer. */
function findReason({ message, developer_message: why }: ToolFailure): string {
  return why === undefined ? message : `${message}: ${why}`
}

async function meter(bytes: Uint8Array<ArrayBuffer>, yieldControl: YieldControl): Promise<MeteredModule | string> {
  try {
    checkHeader(bytes)
    if (!WebAssembly.validate(bytes)) return 'It is not a valid WebAssembly module, or not the whole of one'
    const steps = addFuelMetering(bytes, { fuel: FUEL, maxPages: MAX_PAGES })
    let step = steps.next()
    for (; !step.done; step = steps.next()) await yieldControl()
    const metered = step.value
    if (!WebAssembly.validate(metered.bytes)) throw new Error('A metered module is not valid')
    return whyRefused(metered) ?? metered
  } catch (error) {
    if (error instanceof ModuleError) return error.message
    throw error
  }
}

function whyRefused({ imports, functions }: MeteredModule): string | undefined {
  for (const { module, name } of imports) {
    if (module === WASI || IMPORTS.get(module)?.includes(name)) continue
    const modules = [...IMPORTS.keys(), WASI].map((each) => `'${each}'`).join(', ')
    return `It imports '${module}.${name}', which there is not: a plugin may import from ${modules}`
  }
  const missing = ['describe', 'call'].find((name) => !functions.includes(name))
  return missing === undefined ? undefined : `It does not export the function '${missing}', as a plugin does`
}
