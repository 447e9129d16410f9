import { execFileSync } from 'node:child_process'
import { startServer } from './test/e2e/server.ts'
import { startUpstream } from './test/upstream.ts'
import { raw } from './test/e2e/raw.ts'

let answer = ''
let type = 'application/json'
const upstream = await startUpstream((_, response) => {
  response.setHeader('content-type', type)
  response.end(answer)
})
const server = await startServer({ vars: { ACCESS: 'open', ALLOW_HTTP_HOSTS: upstream.host } })
console.log(server.url)
const many = <T>(n: number, f: (i: number) => T) => Array.from({ length: n }, (_, i) => f(i))
async function post(path: string, body: string | object, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { request } = await import('node:http')
  const { hostname, port } = new URL(server.url)
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
      agent: false,
    })
    sent.on('error', () => setTimeout(() => resolve({ status: 0, text: 'broken' }), 500))
    sent.on('response', (r) => {
      const c: Buffer[] = []
      r.on('data', (d) => c.push(d))
      r.on('end', () => resolve({ status: r.statusCode ?? 0, text: Buffer.concat(c).toString() }))
    })
    sent.end(text)
  })
}
async function health() {
  const a = performance.now()
  await (await fetch(server.url + '/health')).text()
  return performance.now() - a
}
async function beside(work: () => Promise<{ status: number; text: string }>) {
  let done = false,
    most = 0
  const watch = (async () => {
    while (!done) {
      most = Math.max(most, await health())
      await new Promise((r) => setTimeout(r, 2))
    }
  })()
  await new Promise((r) => setTimeout(r, 20))
  most = 0
  const a = performance.now()
  const r = await work()
  const took = performance.now() - a
  done = true
  await watch
  return { took, held: most, status: r.status, bytes: r.text.length, text: r.text }
}
const med = (x: number[]) => [...x].sort((a, b) => a - b)[Math.floor(x.length / 2)]!
const rows: string[] = []
async function measure(name: string, size: number, work: () => Promise<{ status: number; text: string }>, times = 5) {
  const plain: number[] = [],
    held: number[] = [],
    took: number[] = [],
    h0: number[] = []
  let last: any
  const text = JSON.stringify({ tool_id: 'No.Such', input: { a: 'a'.repeat(Math.max(0, size - 50)) } })
  for (let i = 0; i < times; i++) {
    h0.push(
      (
        await beside(async () => {
          await new Promise((r) => setTimeout(r, 60))
          return { status: 0, text: '' }
        })
      ).held,
    )
    plain.push((await beside(() => post('/tools/call', text))).took)
    last = await beside(work)
    held.push(last.held)
    took.push(last.took)
  }
  const row = `| ${name} | ${(size / 1000).toFixed(0)} kB | ${last.status} | ${med(h0).toFixed(0)} | ${med(plain).toFixed(0)} | ${med(took).toFixed(0)} | ${med(held).toFixed(0)} | ${(med(took) / med(plain)).toFixed(1)} |`
  rows.push(row)
  console.log(row, last.text.slice(0, 140))
}
const httpTool = {
  definition: { name: 'get', description: 'd', inputSchema: { type: 'object' } },
  implementation: { kind: 'http', method: 'GET', url: `${upstream.origin}/x` },
  toolkit: 'Big',
  version: '1.0.0',
}
console.log((await post('/tools?dialect=mcp', httpTool)).status)
console.log(
  (
    await post('/tools?dialect=mcp', {
      ...httpTool,
      definition: {
        ...httpTool.definition,
        name: 'shaped',
        outputSchema: { type: 'object', additionalProperties: { type: 'integer' } },
      },
      version: '1.0.0',
    })
  ).status,
)
const code = {
  ...httpTool,
  definition: { ...httpTool.definition, name: 'code' },
  implementation: {
    kind: 'code',
    module: `export default async ({n = 760000, kind = 'names'}) => kind === 'names' ? Object.fromEntries(Array.from({length: n}, (_, i) => [i, 0])) : kind === 'lists' ? Array.from({length: n}, () => []) : 'x'.repeat(n)`,
  },
}
const published = await post('/tools?dialect=mcp', {
  ...code,
  definition: {
    ...code.definition,
    inputSchema: { type: 'object', properties: { n: { type: 'integer' }, kind: { type: 'string' } } },
  },
})
console.log(published.status, published.text.slice(0, 300))
const call = (input: unknown, tool = 'Calculator.Add') => JSON.stringify({ tool_id: tool, input })
const names = (n: number) => Object.fromEntries(many(n, (i) => [i, 0]))
const only = process.argv[2]
const cases: [string, number, () => Promise<{ status: number; text: string }>][] = []
const body = (name: string, path: string, text: string, headers = {}) =>
  cases.push([name, text.length, () => post(path, text, headers)])
const B = 4_190_000
const D = 15_000_000
for (const path of ['/tools/call', '/mcp']) {
  const wrap = (input: string) =>
    path === '/mcp'
      ? `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Calculator_Add","arguments":${input}}}`
      : `{"tool_id":"Calculator.Add","input":${input}}`
  body(`${path} one text`, path, wrap(`{"a":"${'a'.repeat(B - 200)}"}`))
  body(`${path} 99k parts, names`, path, wrap(JSON.stringify(names(49_900))))
  body(
    `${path} 99k parts, long names`,
    path,
    wrap(JSON.stringify(Object.fromEntries(many(49_900, (i) => [`${'k'.repeat(70)}${i}`, 0])))),
  )
  body(`${path} \\u0061 and names`, path, wrap(`{"x":"\\u0061",${JSON.stringify(names(49_900)).slice(1)}`))
  body(`${path} \\u only`, path, wrap(`{"a":"${'\\u0061'.repeat((B - 200) / 6)}"}`))
  body(`${path} too many names`, path, wrap(JSON.stringify(names(370_000))))
  body(`${path} fault at the end`, path, wrap(`{"a":"${'a'.repeat(B - 200)}"`))
  body(`${path} fault behind 99k parts`, path, wrap(`{"a":[${'0,'.repeat(99_000)}"${'a'.repeat(B - 300_000)}\\x"]}`))
  body(`${path} spaces`, path, wrap(`{"a":1,"b":2}${' '.repeat(B - 200)}`))
  body(`${path} escaped quotes`, path, wrap(`{"a":"${'\\"'.repeat((B - 200) / 2)}"}`))
  body(`${path} lists in lists`, path, wrap(`{"a":[${'[[[]]],'.repeat(99_000)}1]}`))
  body(`${path} numbers`, path, wrap(`{"a":[${'1e100,'.repeat(99_000)}1]}`))
}
body('/tools 999k parts, names', '/tools', JSON.stringify(names(499_000)))
body(
  '/tools 999k parts, long',
  '/tools',
  JSON.stringify(Object.fromEntries(many(499_000, (i) => [`${'k'.repeat(20)}${i}`, 0]))),
)
body('/tools too many', '/tools', `{"a":[${'0,'.repeat(D / 2 - 20)}0]}`)
body('/tools \\u and names', '/tools', `{"x":"\\u0061",${JSON.stringify(names(499_000)).slice(1)}`)
body('/tools fault at the end', '/tools', `{"a":"${'a'.repeat(D)}"`)
body('/tools one text', '/tools', `{"a":"${'a'.repeat(D)}"}`)
body(
  '/toolkits/import 999k parts',
  '/toolkits/import?dry_run=1',
  JSON.stringify({ toolkit: 'X', from: { openapi: names(499_000) } }),
)
const answers: [string, string][] = [
  ['760k names', JSON.stringify(names(760_000))],
  ['99k parts, names', JSON.stringify(names(49_900))],
  ['99k parts, long names', JSON.stringify(Object.fromEntries(many(49_900, (i) => [`${'k'.repeat(70)}${i}`, 0])))],
  ['lists', `[${'[],'.repeat(99_000)}[]]`],
  ['too many lists', `[${'[],'.repeat(2_600_000)}[]]`],
  ['one text 8 MB', JSON.stringify('a'.repeat(8_000_000))],
  ['nested lists', `[${'[[[[[]]]]],'.repeat(99_000)}[]]`],
]
for (const [name, text] of answers)
  for (const tool of ['Big.get', 'Big.shaped'])
    cases.push([
      `answer to ${tool}: ${name}`,
      text.length,
      () => {
        answer = text
        return post('/tools/call', call({}, tool))
      },
    ])
for (const input of [{ n: 760_000 }, { n: 49_000 }, { n: 98_000, kind: 'lists' }, { n: 7_900_000, kind: 'text' }])
  cases.push([`code ${JSON.stringify(input)}`, 8_000_000, () => post('/tools/call', call(input, 'Big.code'))])
for (const [path, n] of [
  ['/llms.txt', 60_000],
  ['/v0.1/servers', 60_000],
  ['/sign-in', 60_000],
  ['/worker/tools', 60_000],
] as const) {
  let q = ''
  for (let i = 0; q.length < n; i++) q += `${i}&`
  cases.push([
    `GET ${path}?0&1&…`,
    n,
    async () => {
      const r = await raw(server.url, { path: `${path}?${q}` })
      return { status: r.status, text: r.text }
    },
  ])
}
cases.push([
  'GET /%2f…',
  60_000,
  async () => {
    const r = await raw(server.url, { path: `/${'%2f'.repeat(20_000)}` })
    return { status: r.status, text: r.text }
  },
])
for (const [name, size, work] of cases)
  if (!only || name.includes(only)) await measure(name, size, work, Number(process.env['TIMES'] ?? 3))
// memory
if (process.env['MEMORY']) {
  const pid = execFileSync('pgrep', ['-P', String(process.pid)])
    .toString()
    .trim()
    .split('\n')
  const rss = () =>
    pid
      .map((p) => {
        try {
          return Number(execFileSync('ps', ['-o', 'rss=', '-p', p]).toString())
        } catch {
          return 0
        }
      })
      .reduce((a, b) => Math.max(a, b), 0) / 1024
  console.log('rest', rss())
  for (const [name, , work] of cases)
    if (!only || name.includes(only)) {
      let top = 0
      const t = setInterval(() => {
        top = Math.max(top, rss())
      }, 50)
      const before = rss()
      await Promise.all(many(10, () => work()))
      clearInterval(t)
      console.log(name, 'before', before.toFixed(0), 'top', top.toFixed(0), '+', (top - before).toFixed(0))
      await new Promise((r) => setTimeout(r, 1000))
    }
}
console.log(rows.join('\n'))
await server.stop()
await upstream.close()
process.exit(0)
