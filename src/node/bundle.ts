import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'
import type { V4WorkerOptions } from 'miniflare'
import { writeChanged } from './write-changed.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface BundleOptions {
  readonly config: string
  readonly outdir: string
  readonly tools?: { readonly from: string; readonly to: string } | undefined
  readonly readable?: boolean
  readonly signal: AbortSignal
}

export type Bundled = { readonly ok: true } | { readonly ok: false; readonly message: string }

/**
 * The Worker as modules: one with what every call needs, and one for each `import()`, which the platform compiles when it
 * is first asked for. Wrangler would make a single one. What esbuild says of them is `bundle-meta.json`.
 */
export async function bundle({ config, outdir, tools, readable, signal }: BundleOptions): Promise<Bundled> {
  const folders = tools ? ['--tools', tools.from, '--out', tools.to] : []
  const generated = await run(process.execPath, ['src/node/generate.ts', ...folders], signal)
  if (!generated.ok) return generated
  // Loaded here, since tests that start what is built already need none of it
  const { unstable_readConfig: readConfig } = await import('wrangler')
  const { no_bundle: isOurs } = readConfig({ config: join(root, config) }, { hideWarnings: true })
  if (!isOurs) return bundleByWrangler(config, outdir, signal)
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['src/index.ts'],
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      outExtension: { '.js': '.mjs' },
      target: 'es2024',
      conditions: ['workerd', 'worker', 'browser'],
      mainFields: ['browser', 'module', 'main'],
      external: ['cloudflare:*', 'node:*'],
      plugins: [UNUSED, ...(tools ? [generatedIn(join(root, tools.to))] : [])],
      define: { 'process.env.NODE_ENV': '"production"' },
      minify: !readable,
      sourcemap: true,
      metafile: true,
      write: false,
      logLevel: 'silent',
    })
    await mkdir(outdir, { recursive: true })
    for (const { path, text } of outputFiles) await writeChanged(path, text)
    await writeChanged(join(outdir, 'bundle-meta.json'), JSON.stringify(metafile))
    const fileNames = new Set(outputFiles.map(({ path }) => basename(path)))
    const isOld = (name: string) => /\.mjs(?:\.map)?$/.test(name) && !fileNames.has(name)
    for (const name of (await readdir(outdir)).filter(isOld)) await rm(join(outdir, name), { force: true })
    return { ok: true }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  } finally {
    await stop()
  }
}

/** The modules that a bundle is of, the entry first. */
export async function modulesIn(folder: string, entry: string) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs') && name !== entry)
  return Promise.all(
    [entry, ...names.sort()].map(async (name) => {
      const path = join(folder, name)
      return { type: 'ESModule', path, contents: await readFile(path, 'utf8') } as const
    }),
  )
}

/** Assets are read from their folder: miniflare's own would have Workers of its own in front of each request. */
export function withAssetsFromDisk<Worker extends Pick<V4WorkerOptions, 'assets' | 'serviceBindings'>>(worker: Worker) {
  const { assets, ...rest } = worker
  if (assets?.binding === undefined) return rest
  const read = { disk: { path: assets.directory } }
  return { ...rest, serviceBindings: { ...worker.serviceBindings, [assets.binding]: read } }
}

/** Workers that others are measured against. */
function bundleByWrangler(config: string, outdir: string, signal: AbortSignal): Promise<Bundled> {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  return run(process.execPath, [wrangler, 'deploy', '--dry-run', '--config', config, '--outdir', outdir], signal)
}

/** The MCP client asks for all of it by `import()`, for clients that prove who they are by a key: ours never do. */
const UNUSED: Plugin = {
  name: 'unused',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^jose$/ }, ({ importer }) =>
      importer.includes('@modelcontextprotocol') ? { path: 'jose', external: true } : undefined,
    ),
}

/** Other tools than those under `tools/`. */
function generatedIn(folder: string): Plugin {
  return {
    name: 'generated',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/generated\/build\.ts$/ }, () => ({ path: join(folder, 'build.ts') })),
  }
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

/** Says of places in a bundle's modules where they are in the source. */
export function sourcePlaces(folder: string): (text: string) => string {
  const maps = new Map<string, SourceMap | undefined>()
  const loadSourceMap = (file: string) => {
    const path = join(folder, `${file}.map`)
    if (!maps.has(file))
      maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined)
    return maps.get(file)
  }
  return (text) =>
    text.replaceAll(/[^\s("'\\]*?([\w.-]+\.mjs):(\d+):(\d+)/g, (place, file, line, column) => {
      const origin = loadSourceMap(file)?.findOrigin(Number(line), Number(column))
      if (!origin || !('fileName' in origin) || !origin.fileName) return place
      return `${relative(root, join(folder, origin.fileName))}:${origin.lineNumber}:${origin.columnNumber}`
    })
}
