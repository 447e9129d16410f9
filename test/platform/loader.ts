import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { convertV4MiniflareOptions, Miniflare, Response as MiniflareResponse } from 'miniflare'
import { part } from '../simulation/part.ts'

/** Handles a sandbox's request, with the context of the entrypoint that the request goes through. */
type Leave = (request: Request, context: ExecutionContext) => Promise<Response>

/** Runs the code of a request in a sandbox. Responds with a line of JSON for each progress report and for the outcome. */
const HOST = `
import { WorkerEntrypoint } from 'cloudflare:workers'
export class Exit extends WorkerEntrypoint {
  fetch(request) {
    const passed = new Request(request)
    passed.headers.set('exit', this.ctx.props.exit)
    return this.env.LEAVE.fetch(passed)
  }
}
const binary = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0)).buffer
export default {
  async fetch(request, env, context) {
    const { id, code, exit, given, hasProgress } = await request.json()
    for (const each of Object.values(code.modules)) if (each.wasm) each.wasm = binary(each.wasm)
    const whole = { ...code, globalOutbound: exit && context.exports.Exit({ props: { exit } }) }
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    // Two characters of others' texts would end a line too
    const escaped = (text) => text.replace(/[\\u2028\\u2029]/g, (each) => '\\\\u' + each.charCodeAt(0).toString(16))
    const say = (line) => writer.write(new TextEncoder().encode(escaped(JSON.stringify(line)) + '\\n'))
    async function run() {
      const entrypoint = (id ? env.LOADER.get(id, () => whole) : env.LOADER.load(whole)).getEntrypoint()
      if (!given) return void (await entrypoint.fetch('https://tool.invalid/'))
      return entrypoint.run(...given, ...(hasProgress ? [(...progress) => void say({ progress })] : []))
    }
    const said = run().then((value) => say({ value }), ({ message }) => say({ error: message }))
    context.waitUntil(said.then(() => writer.close()))
    // Nobody keeps back a line of this to compress it with those that follow
    return new Response(readable, { headers: { 'content-encoding': 'identity' } })
  },
}`

const exits = new Map<string, (request: Request) => Promise<Response>>()
let loaders = 0
let host: Miniflare | undefined

/** Starts one workerd for the sandboxes of all servers in this process. It ends with the process. */
function startHost(): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: HOST,
      compatibilityDate: '2026-10-15',
      workerLoaders: { LOADER: {} },
      serviceBindings: {
        async LEAVE(sent) {
          const headers = new Headers([...sent.headers])
          const leave = exits.get(headers.get('exit') ?? '')
          headers.delete('exit')
          if (!leave) throw new Error('Nothing leaves this sandbox')
          const init = { method: sent.method, headers, body: sent.body && (await sent.arrayBuffer()) }
          const response = await leave(new Request(sent.url, init))
          const { status, statusText } = response
          const answer = response.body && (await response.arrayBuffer())
          return new MiniflareResponse(answer, { status, statusText, headers: [...response.headers] })
        },
      },
    }),
  )
}

/** Creates the Worker Loader of a server in this process. The sandboxes are real: they run in a separate workerd. */
export function createLoader(leave: Leave): WorkerLoader {
  const loader = (loaders += 1)

  function exitOf(outbound: unknown): string | undefined {
    if (!outbound) return undefined
    const exit = String(exits.size)
    exits.set(exit, (request) => leave(request, Object(outbound)))
    return exit
  }

  async function run(id: string | undefined, code: WorkerLoaderWorkerCode, given?: readonly unknown[]) {
    host ??= startHost()
    const { globalOutbound, modules, ...rest } = code
    const report = given?.find((each) => typeof each === 'function')
    const response = await host.dispatchFetch('https://sandbox.invalid/', {
      method: 'POST',
      body: JSON.stringify(
        {
          id: id && `${loader}:${id}`,
          code: { ...rest, modules },
          exit: exitOf(globalOutbound),
          given: given?.filter((each) => each !== report),
          hasProgress: report !== undefined,
        },
        (_, value) => (value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value),
      ),
    })
    if (!response.body) throw new Error('The sandbox did not answer')
    for await (const line of createInterface(Readable.fromWeb(response.body))) {
      const { progress, error, value } = JSON.parse(line)
      if (progress) Reflect.apply(Object(report), undefined, progress)
      else if (error !== undefined) throw new Error(error)
      else return value
    }
    throw new Error('The sandbox ended before it answered')
  }

  function stubOf(id: string | undefined, codeOf: () => WorkerLoaderWorkerCode | Promise<WorkerLoaderWorkerCode>) {
    const entrypoint = {
      run: async (...given: unknown[]) => run(id, await codeOf(), given),
      fetch: async () => run(undefined, await codeOf()),
    }
    const stub: WorkerStub = Object.assign(Object.create(null), { getEntrypoint: () => entrypoint })
    return stub
  }
  return part<WorkerLoader>({
    get: (id, codeOf) => stubOf(id ?? undefined, codeOf),
    load: (code) => stubOf(undefined, () => code),
  })
}
