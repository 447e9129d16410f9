import type { Kernel } from './kernel.ts'

/** One call of an export of a plugin, in an instance of its own. */
export interface Call {
  readonly kernel: Kernel
  readonly input: Uint8Array
  readonly config: Readonly<Record<string, string>>
  /** Takes fuel for work on so many bytes that the host does for the plugin. Throws when there is too little. */
  readonly charge: (bytes: number) => void
  readonly log: (line: string) => void
  /** The plugin's own memory as it is now. */
  readonly memory: () => DataView<ArrayBuffer>
  /** How many HTTP requests there were, and what came of the last. */
  readonly http: { requests: number; status: number; headers: Record<string, string> }
  output: string
  error: string | undefined
}
