import type { Kernel } from './kernel.ts'

export type HostFunctions = Record<string, (...given: never[]) => unknown>

export interface PluginCall {
  readonly kernel: Kernel
  readonly input: Uint8Array
  readonly config: Readonly<Record<string, string>>
  readonly charge: (bytes: number) => void
  readonly log: (line: string) => void
  readonly memory: () => DataView<ArrayBuffer>
  readonly http: { requests: number; status: number; headers: Record<string, string> }
  output: string
  error: string | undefined
}
