import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

const OPTIONS = {
  'port': { type: 'string', default: '8787' },
  'ip': { type: 'string', default: '127.0.0.1' },
  'persist-to': { type: 'string' },
  'var': { type: 'string', multiple: true, default: [] },
  'config': { type: 'string', default: 'wrangler.toml' },
  'outdir': { type: 'string' },
  'entry': { type: 'string', default: 'index.js' },
  'tools': { type: 'string' },
  'generated': { type: 'string' },
  'built': { type: 'boolean', default: false },
  'watch': { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig

/** Reads the command line of `serve.ts`; of two `--var` of one name the later one holds. Throws for what it does not know. */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new Error(`Cannot listen on port '${values.port}': wanted a number from 0 to 65535`)
  }
  const variables = values.var.map((text) => {
    const at = text.indexOf(':')
    if (at < 1) throw new Error(`Cannot read '--var ${text}': wanted NAME:value`)
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  const { tools: from, generated: to } = values
  if ((from === undefined) !== (to === undefined))
    throw new Error("Cannot take '--tools' and '--generated' but together")
  const tools = from !== undefined && to !== undefined ? { from, to } : undefined
  return { ...values, port, tools, variables: Object.fromEntries(variables) }
}
