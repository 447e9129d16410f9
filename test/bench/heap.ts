import type { ServerProcess } from '../e2e/process.ts'

/** Runs garbage collection in the isolate of a Worker started with `--inspector-port`. Returns the remaining heap in MB. */
export async function collectedHeap({ url, printed }: Pick<ServerProcess, 'url' | 'printed'>): Promise<number> {
  const inspector = /Inspector on (\S+)/.exec(printed())?.[1]
  if (inspector === undefined) throw new Error('The server has no inspector')
  const listed: unknown = await (await fetch(new URL('/json', inspector.replace(/^ws/, 'http')))).json()
  const targets: { readonly id: string; readonly webSocketDebuggerUrl: string }[] = Array.isArray(listed) ? listed : []
  const own = targets.find(({ id }) => id.startsWith('core:user:'))
  if (!own) throw new Error(`Cannot find the Worker among ${targets.map(({ id }) => id).join(', ')}`)
  const socket = new WebSocket(own.webSocketDebuggerUrl)
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error(`Cannot reach ${own.webSocketDebuggerUrl}`)))
    })
    // V8 collects in a separate task, and workerd runs an isolate's tasks only during its requests
    const timer = setInterval(() => void fetch(`${url}/health`).catch(() => undefined), 50)
    await ask(socket, 1, 'HeapProfiler.collectGarbage').finally(() => clearInterval(timer))
    const { usedSize } = await ask(socket, 2, 'Runtime.getHeapUsage')
    return Number(usedSize) / 1e6
  } finally {
    socket.close()
  }
}

function ask(socket: WebSocket, id: number, method: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data))
      if (answer.id !== id) return
      socket.removeEventListener('message', listen)
      if (answer.error) reject(new Error(`${method}: ${JSON.stringify(answer.error)}`))
      else resolve(answer.result)
    }
    socket.addEventListener('message', listen)
    socket.send(JSON.stringify({ id, method }))
  })
}
