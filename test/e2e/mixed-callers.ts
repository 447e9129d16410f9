import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { startUpstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const MOST_TRIES = 4

/** A request, and the check of its response. */
interface Errand {
  readonly kind: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly isRight: (status: number, body: string) => boolean
}

/** The results of errands of one kind. */
export interface Tally {
  right: number
  /** Told on each attempt when to retry. */
  putOff: number
  /** Descriptions of all other results. */
  readonly wrong: string[]
}

const says = (status: number, part: string) => (got: number, body: string) => got === status && body.includes(part)
const call = (tool_id: string, n: number) => ({
  method: 'POST',
  path: '/tools/call',
  body: { tool_id, input: { a: n, b: 1 } },
})

/** Returns the nth errand of a deployment that is busy with everything it offers; `unique` distinguishes callers. */
export function errand(n: number, unique: string): Errand {
  const sum = says(200, `"value":${n + 1}`)
  const errands: readonly Errand[] = [
    { kind: 'a bundled tool', ...call('Calculator.Add', n), isRight: sum },
    { kind: 'a code tool', ...call('Mixed.Code', n), isRight: sum },
    { kind: 'an http tool', ...call('Mixed.Http', n), isRight: says(200, '"value":{"sum":') },
    { kind: 'a list', method: 'GET', path: `/tools?limit=${1 + (n % 50)}`, isRight: says(200, '"items":[{') },
    { kind: 'a search', method: 'GET', path: '/tools?q=adds', isRight: says(200, 'Calculator.Add') },
    {
      kind: 'a call over MCP',
      method: 'POST',
      path: '/mcp',
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'Calculator_Add', arguments: { a: n, b: 1 } },
      },
      isRight: says(200, `${n + 1}`),
    },
    {
      kind: 'a publication',
      method: 'POST',
      path: '/tools',
      body: definition(`Mixed${unique}.T${n}@1.0.0`),
      // A publication that was put off may have been stored, so the retry may find it unchanged
      isRight: (status, body) => (status === 200 || status === 201) && body.includes(`Mixed${unique}.T${n}@1.0.0`),
    },
    { kind: 'an unknown tool', ...call('Mixed.Nothing', n), isRight: says(400, 'was not found') },
  ]
  const chosen = errands[n % errands.length]
  if (!chosen) throw new Error('There is no errand')
  return chosen
}

/** Starts a server with the tools that errands call, and the upstream of its http tool, which stops with it. */
export async function startBusyServer(): Promise<ServerProcess> {
  const upstream = await startUpstream(({ body }, response) => {
    const { a, b } = JSON.parse(body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sum: a + b }))
    // The requests are not needed, and would use more and more memory
    upstream.arrived.length = 0
  })
  const variables = ['ACCESS:keys', `ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${upstream.host}`]
  const server = await startProcess(
    ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder()].concat(
      variables.flatMap((each) => ['--var', each]),
    ),
  )
  const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }
  const implementations = {
    Code: { kind: 'code', module: 'export default ({ a, b }) => a + b' },
    Http: { kind: 'http', method: 'POST', url: `${upstream.origin}/add`, response: { type: 'json' } },
  }
  for (const [name, implementation] of Object.entries(implementations)) {
    const body = {
      definition: { ...definition(`Mixed.${name}@1.0.0`), input_schema: { parameters: numbers }, output_schema: {} },
      implementation,
    }
    const { status, body: answer } = await server.json('POST', '/tools', body, { authorization: `Bearer ${ADMIN_KEY}` })
    if (status !== 201) throw new Error(JSON.stringify(answer))
  }
  return {
    ...server,
    async stop(options) {
      await Promise.all([server.stop(options), upstream.close()])
    },
  }
}

/** Sends errands over persistent connections, and tallies the results. */
export function createCallers(server: ServerProcess, sockets: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets })
  const tallies = new Map<string, Tally>()

  async function run({ kind, method, path, body, isRight }: Errand): Promise<void> {
    const tally = tallies.get(kind) ?? { right: 0, putOff: 0, wrong: [] }
    tallies.set(kind, tally)
    try {
      let answer = await send(method, path, body)
      // A loaded machine puts off more requests: retry when told to
      for (let tries = 1; tries < MOST_TRIES && isPutOff(answer); tries++) {
        await setTimeout(readWait(answer))
        answer = await send(method, path, body)
      }
      if (isRight(answer.status, answer.text)) tally.right += 1
      else if (isPutOff(answer)) tally.putOff += 1
      else tally.wrong.push(`${answer.status} ${answer.text.slice(0, 300)}`)
    } catch (error) {
      tally.wrong.push(String(error))
    }
  }

  function send(method: string, path: string, body: unknown) {
    const { hostname, port } = new URL(server.url)
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'authorization': `Bearer ${ADMIN_KEY}`,
      'accept': 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    return new Promise<{ status: number; text: string; retryAfter: string | undefined }>((resolve, reject) => {
      const sent = request({ agent, hostname, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const retryAfter = answer.headers['retry-after']
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString(), retryAfter })
        })
      })
      sent.on('error', reject)
      sent.end(text)
    })
  }

  return { run, tallies: () => Object.fromEntries(tallies), close: () => agent.destroy() }
}

/** Returns the wait in milliseconds, which OXP has in the body. */
function readWait({ text, retryAfter }: { text: string; retryAfter: string | undefined }): number {
  return Number(/"retry_after_ms":(\d+)/.exec(text)?.[1] ?? Number(retryAfter) * 1_000)
}

/** Whether a response is a 429 or 503 with a retry time, or OXP's error for an upstream that gets no more requests for now. */
function isPutOff({ status, text, retryAfter }: { status: number; text: string; retryAfter: string | undefined }) {
  if (status === 429 || status === 503) return retryAfter !== undefined
  return status === 200 && /^{"\$schema":"urn:oxp:1.0","result":{.*"can_retry":true.*"retry_after_ms":\d+/.test(text)
}
