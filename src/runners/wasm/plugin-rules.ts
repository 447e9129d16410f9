import type { Metered } from './meter/meter.ts'

/** What a plugin may import (the Extism plugin ABI; AssemblyScript's `abort`). Of WASI it may import anything. */
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

/** Why a module is no plugin that can run here, or undefined. */
export function whyRefused({ imports, functions }: Metered): string | undefined {
  for (const { module, name } of imports) {
    if (module === WASI || IMPORTS.get(module)?.includes(name)) continue
    const modules = [...IMPORTS.keys(), WASI].map((each) => `'${each}'`).join(', ')
    return `It imports '${module}.${name}', which there is not: a plugin may import from ${modules}`
  }
  const missing = ['describe', 'call'].find((name) => !functions.includes(name))
  return missing === undefined ? undefined : `It does not export the function '${missing}', as a plugin does`
}
