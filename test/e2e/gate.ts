import type { ServerResponse } from 'node:http'
import { startUpstream, type Upstream } from '../upstream.ts'

export interface Gate extends Upstream {
  /** Waits until this many requests have arrived in total. */
  come(count: number): Promise<void>
  /** Responds to the waiting requests. */
  open(): void
}

/** Starts a server that responds only when the test lets it, so that a tool that calls it waits until then. */
export async function startGate(): Promise<Gate> {
  const waiting: ServerResponse[] = []
  const told: (() => void)[] = []
  const upstream = await startUpstream((_, response) => {
    waiting.push(response)
    for (const tell of told.splice(0)) tell()
  })
  return {
    ...upstream,
    async come(count) {
      while (upstream.arrived.length < count) await new Promise<void>((resolve) => void told.push(resolve))
    },
    open() {
      for (const response of waiting.splice(0)) response.writeHead(200, { 'content-type': 'application/json' }).end('1')
    },
  }
}
