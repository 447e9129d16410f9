import { type CommandOptions, readCommand } from './command.ts'

const ABOUT = 'Builds the Worker and serves it on workerd, with what it stores kept in .wrangler.'

const OPTIONS = {
  'port': { type: 'string', default: '8787', says: 'where to listen; 0 for any free port' },
  'ip': { type: 'string', default: '127.0.0.1', says: 'the address to listen at' },
  'persist-to': {
    type: 'string',
    says: 'where to keep what is stored: npm run serve in this folder, npm run dev apart, in its v3',
  },
  'var': {
    type: 'string',
    multiple: true,
    default: [],
    says: 'a variable of the deployment, NAME:value; may be repeated',
  },
  'config': { type: 'string', default: 'wrangler.toml', says: 'the configuration' },
  'watch': { type: 'boolean', default: false, says: 'build and serve again what changes' },
  'built': { type: 'boolean', default: false, says: 'serve what --outdir holds, without building it' },
  'outdir': { type: 'string', says: 'where to build (dist/worker)' },
  'entry': { type: 'string', default: 'index.mjs', says: 'the entry in --outdir' },
  'tools': { type: 'string', says: 'the folder of the bundled tools, with --generated' },
  'generated': { type: 'string', says: 'what is generated of them, with --tools' },
  'inspector-port': { type: 'string', says: 'lets a debugger attach' },
} satisfies CommandOptions

export function readServeOptions(args: readonly string[]) {
  const { values } = readCommand(ABOUT, OPTIONS, { args })
  const port = parsePort(values.port)
  const variables = values.var.map((text) => {
    const at = text.indexOf(':')
    if (at < 1) throw new Error(`Cannot read '--var ${text}': wanted NAME:value`)
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  const { tools: from, generated: to } = values
  if ((from === undefined) !== (to === undefined))
    throw new Error("Cannot take '--tools' and '--generated' but together")
  const tools = from !== undefined && to !== undefined ? { from, to } : undefined
  const inspectorPort = values['inspector-port'] === undefined ? undefined : parsePort(values['inspector-port'])
  return { ...values, port, inspectorPort, tools, variables: Object.fromEntries(variables) }
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new Error(`Cannot listen on port '${text}': wanted a number from 0 to 65535`)
}
