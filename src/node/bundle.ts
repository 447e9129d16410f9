import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface BundleOptions {
  /** The wrangler configuration, from the root. */
  readonly config: string
  /** Where the bundle is written. */
  readonly outdir: string
  /** A folder of toolkits other than `tools`, from the root, with the folder that is generated of it. */
  readonly tools?: { readonly from: string; readonly to: string } | undefined
  /** Leaves the code as people can read it in a stack trace. */
  readonly readable?: boolean
  /** Ends the work. */
  readonly signal: AbortSignal
}

export type Bundled = { readonly ok: true } | { readonly ok: false; readonly message: string }

/**
 * Makes the Worker's bundle as a deployment has it. `message` says what is wrong with a source: of a tool in one line
 * that begins with its file, of another file in the bundler's words, with file and line.
 */
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

/** What wrangler says of a bundle that it could not make, without its banner, its colours and the build's own lines. */
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

/** Runs a command in a group of its own, so that what it started ends with it. */
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
