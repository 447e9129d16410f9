import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

const OPTIONS = {
  'port': { type: 'string', default: '8787' },
  'ip': { type: 'string', default: '127.0.0.1' },
  'inspector-port': { type: 'string' },
  'persist-to': { type: 'string' },
  'var': { type: 'string', multiple: true, default: [] },
  'config': { type: 'string', default: 'wrangler.toml' },
  'outdir': { type: 'string' },
  'entry': { type: 'string', default: 'index.mjs' },
  'tools': { type: 'string' },
  'generated': { type: 'string' },
  'built': { type: 'boolean', default: false },
  'watch': { type: 'boolean', default: false },
  'help': { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig

export const HELP = `Usage: npm run serve -- [options]

  --port PORT            where to listen: 8787, and 0 for any free port
  --ip ADDRESS           the address to listen at: 127.0.0.1
  --persist-to FOLDER    where to keep what is stored
  --var NAME:value       a variable of the deployment; may be repeated
  --config FILE          the configuration: wrangler.toml
  --watch                build and serve again what changes
  --built                serve what --outdir holds, without building it
  --outdir FOLDER        where to build: dist/worker
  --entry FILE           the entry in --outdir: index.mjs
  --tools FOLDER         the bundled tools, with --generated
  --generated FOLDER     what is generated of them, with --tools
  --inspector-port PORT  lets a debugger attach`

export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const port = portOf(values.port)
  const variables = values.var.map((text) => {
    const at = text.indexOf(':')
    if (at < 1) throw new Error(`Cannot read '--var ${text}': wanted NAME:value`)
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  const { tools: from, generated: to } = values
  if ((from === undefined) !== (to === undefined))
    throw new Error("Cannot take '--tools' and '--generated' but together")
  const tools = from !== undefined && to !== undefined ? { from, to } : undefined
  const inspectorPort = values['inspector-port'] === undefined ? undefined : portOf(values['inspector-port'])
  return { ...values, port, inspectorPort, tools, variables: Object.fromEntries(variables) }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new Error(`Cannot listen on port '${text}': wanted a number from 0 to 65535`)
}
