import type { Kernel } from './kernel.ts'

export interface PluginCall {
  readonly kernel: Kernel
  readonly input: Uint8Array
  readonly config: Readonly<Record<string, string>>
  /** Takes fuel for the host's work on so many bytes; throws when there is too little. */
  readonly charge: (bytes: number) => void
  readonly log: (line: string) => void
  readonly memory: () => DataView<ArrayBuffer>
  readonly http: { requests: number; status: number; headers: Record<string, string> }
  output: string
  error: string | undefined
}
