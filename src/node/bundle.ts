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
 * Bundles the Worker as modules: one with the code that every call needs, and one for each `import()`, which the platform
 * compiles on first use. Wrangler would create a single module. `bundle-meta.json` has esbuild's description of them.
 */
export async function bundle({ config, outdir, tools, readable, signal }: BundleOptions): Promise<Bundled> {
  const folders = tools ? ['--tools', tools.from, '--out', tools.to] : []
  const generated = await run(process.execPath, ['src/node/generate.ts', ...folders], signal)
  if (!generated.ok) return generated
  // Loaded here, because tests that start an existing build do not need it
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

/** Reads the modules of a bundle, the entry first. */
export async function modulesIn(folder: string, entry: string) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs') && name !== entry)
  return Promise.all(
    [entry, ...names.sort()].map(async (name) => {
      const path = join(folder, name)
      return { type: 'ESModule', path, contents: await readFile(path, 'utf8') } as const
    }),
  )
}

/** Reads assets from their folder, because miniflare's own assets would put more Workers in front of each request. */
export function withAssetsFromDisk<Worker extends Pick<V4WorkerOptions, 'assets' | 'serviceBindings'>>(worker: Worker) {
  const { assets, ...rest } = worker
  if (assets?.binding === undefined) return rest
  const read = { disk: { path: assets.directory } }
  return { ...rest, serviceBindings: { ...worker.serviceBindings, [assets.binding]: read } }
}

/** Bundles Workers that others are measured against. */
function bundleByWrangler(config: string, outdir: string, signal: AbortSignal): Promise<Bundled> {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  return run(process.execPath, [wrangler, 'deploy', '--dry-run', '--config', config, '--outdir', outdir], signal)
}

/** The MCP client loads all of `jose` with `import()`, for clients that authenticate with a key, which ours never do. */
const UNUSED: Plugin = {
  name: 'unused',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^jose$/ }, ({ importer }) =>
      importer.includes('@modelcontextprotocol') ? { path: 'jose', external: true } : undefined,
    ),
}

/** Bundles other tools than those under `tools/`. */
function generatedIn(folder: string): Plugin {
  return {
    name: 'generated',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/generated\/build\.ts$/ }, () => ({ path: join(folder, 'build.ts') })),
  }
}

/** Runs a command in a separate process group, so that its child processes end with it. */
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
        // It has already ended
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

/** Maps positions in a bundle's modules to positions in the source. */
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
