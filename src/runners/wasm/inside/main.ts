/** The way into the sandbox of a plugin. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { type ExportCall, runPlugin } from './instance.ts'
import plugin from './plugin.wasm'

export default class extends WorkerEntrypoint {
  /** Runs an export of the plugin. What comes of it is JSON text; never rejects. */
  async run(call: ExportCall): Promise<string> {
    return JSON.stringify(await runPlugin(plugin, call))
  }
}
