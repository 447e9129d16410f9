import { spawn } from 'node:child_process'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface BundleOptions {
  readonly config: string
  readonly outdir: string
  readonly tools?: { readonly from: string; readonly to: string } | undefined
  readonly readable?: boolean
  readonly signal: AbortSignal
}

export type Bundled = { readonly ok: true } | { readonly ok: false; readonly message: string }

export async function bundle({ config, outdir, tools, readable, signal }: BundleOptions): Promise<Bundled> {
  const folders = tools ? ['--tools', tools.from, '--out', tools.to] : []
  const generated = await run(process.execPath, ['src/node/generate.ts', ...folders], signal)
  if (!generated.ok) return generated
  const alias = tools ? ['--alias', `./generated/build.ts:${join(root, tools.to, 'build.ts')}`] : []
  const shape = readable ? ['--minify', 'false'] : []
  const args = ['deploy', '--dry-run', '--config', config, '--outdir', outdir, ...alias, ...shape]
  const made = await run(process.execPath, [join(root, 'node_modules/wrangler/bin/wrangler.js'), ...args], signal)
  return made.ok ? made : { ok: false, message: withoutNoise(made.message) }
}

function withoutNoise(text: string): string {
  const lines = stripVTControlCharacters(text).split('\n')
  const first = lines.findIndex((line) => line.startsWith('✘'))
  const isNoise = (line: string) => line.includes('Logs were written to')
  return lines
    .slice(Math.max(first, 0))
    .filter((line) => !isNoise(line))
    .join('\n')
    .trim()
}

/** In a group of its own, so that what it started ends with it. */
function run(command: string, args: readonly string[], signal: AbortSignal): Promise<Bundled> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, WRANGLER_SEND_METRICS: 'false' }
    const leads = process.platform !== 'win32'
    const child = spawn(command, args, { cwd: root, env, detached: leads, stdio: ['ignore', 'pipe', 'pipe'] })
    const end = () => {
      reject(signal.reason)
      if (!leads) return void child.kill()
      try {
        if (child.pid !== undefined) process.kill(-child.pid)
      } catch {
        // It has ended by itself
      }
    }
    signal.addEventListener('abort', end, { once: true })
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += chunk))
    child.stderr.on('data', (chunk) => (printed += chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      signal.removeEventListener('abort', end)
      resolve(code === 0 ? { ok: true } : { ok: false, message: printed.trim() })
    })
  })
}

export function sourcePlaces(bundled: string, map: SourceMapPayload): (text: string) => string {
  const places = new SourceMap(map)
  return (text) =>
    text.replaceAll(/[^\s("'\\]*?([\w.-]+\.js):(\d+):(\d+)/g, (place, file, line, column) => {
      const found = places.findOrigin(Number(line), Number(column))
      if (file !== basename(bundled) || !('fileName' in found) || !found.fileName) return place
      return `${relative(root, join(dirname(bundled), found.fileName))}:${found.lineNumber}:${found.columnNumber}`
    })
}
